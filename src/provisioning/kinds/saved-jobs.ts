/** Saved jobs of a company in a provisioning file. */

import { inEnglish } from '../../foundation/sentences.ts';
import { maxMinutes, standardType } from '../../jobs/job-type.ts';
import { maxPeople } from '../../jobs/run/run.ts';
import {
  maxEscalations,
  maxNames,
  maxTasks,
  misplacedIn,
  type SavedJobContent,
  type SavedJobRecord,
  savedJobRecords,
} from '../../jobs/saved-job.ts';
import { withoutAbsent } from '../../storage/stored-record.ts';
import { cleanNumber } from '../../wire/phone-number.ts';
import { reasonAgainstTag } from '../../wire/tag-filter.ts';
import type { Fault } from '../../yaml/fault.ts';
import {
  list,
  needed,
  object,
  optional,
  plainText,
  type Read,
  ruled,
  text,
  wholeNumber,
} from '../../yaml/fields.ts';
import { givenId, messageText, name, remove, tagFilter, username } from '../objects/fields.ts';
import { type Kind, keeping, namedIn, type View } from '../objects/kind.ts';
import { lines } from '../objects/line.ts';
import { faultAt, type Planned, planned } from '../objects/planned.ts';
import { jobTypes } from './job-types.ts';
import { systemUsers } from './system-users.ts';

type Content = { readonly [Key in keyof SavedJobContent]: SavedJobContent[Key] | undefined };
type SavedJobPlan = Planned & Omit<SavedJobRecord, keyof SavedJobContent> & Content;

const goal = wholeNumber(1, maxPeople);

const numbers = list(
  ruled((written) => cleanNumber(written)),
  maxPeople,
);
const tag = text((written) => {
  const wrong = reasonAgainstTag(written);
  return wrong === undefined ? { value: written } : { wrong: inEnglish(wrong) };
});
const names = list(text(plainText(100)), maxNames);

const escalation = plain(
  object({
    afterMinutes: needed(wholeNumber(1, maxMinutes), 1),
    tagFilter: needed(tagFilter, ''),
    goal: optional(goal, undefined),
  }),
);
const task = plain(
  object({
    tagType: needed(tag, ''),
    tagValue: needed(tag, ''),
    goal: needed(goal, 1),
    escalations: optional(list(escalation, maxEscalations), []),
  }),
);

const fields = {
  id: needed(givenId, 0),
  owner: optional(username, ''),
  name: optional(name, ''),
  type: optional(name, ''),
  message: optional(messageText, ''),
  recipients: optional(
    plain(
      object({
        numbers: optional(numbers, []),
        tagFilter: optional(emptyOr(tagFilter), undefined),
        savedTagFilters: optional(names, []),
        groups: optional(names, []),
      }),
    ),
    undefined,
  ),
  exclude: optional(
    plain(object({ numbers: optional(numbers, []), tagFilter: optional(emptyOr(tagFilter), undefined) })),
    undefined,
  ),
  responseGoal: optional(goal, undefined),
  tasks: optional(list(task, maxTasks), undefined),
  remove,
} as const;

/** The stored form of an object, without its position in the file and without keys that have no value. */
function plain<Item extends { readonly place: unknown; readonly fieldPlaces: unknown }>(read: Read<Item>) {
  return ((tree, faults) => {
    const found = read(tree, faults);
    if (found === undefined) return undefined;
    const { place: _, fieldPlaces: __, ...kept } = found;
    return withoutAbsent(kept);
  }) as Read<{
    readonly [Key in Exclude<keyof Item, 'place' | 'fieldPlaces'>]: Exclude<Item[Key], undefined>;
  }>;
}

/** Empty text means no filter. */
function emptyOr(read: Read<string>): Read<string> {
  return (tree, faults) => (tree.kind === 'text' && tree.value === '' ? '' : read(tree, faults));
}

export const savedJobs: Kind<SavedJobPlan, SavedJobRecord> = {
  section: 'savedJobs',
  within: 'company',
  noun: 'this saved job',
  /** A job to be removed needs only its id. */
  read: planned(fields, { needs: ['owner', 'name', 'type', 'message'] }),
  keyField: 'id',
  keyOf: ({ company, id }) => `${id} ${company}`,
  mentions: ({ owner }) => (owner === '' ? {} : { systemUsers: { keys: [owner] } }),
  load: (reading, scope) => savedJobRecords.read(reading, { company: namedIn(scope, 'companies').keys }),
  after({ place: _, fieldPlaces: __, resets: ___, remove: ____, ...asked }, before, _____, keeps) {
    return keeping(withoutAbsent(asked), before, keeps);
  },
  describe: lines(({ id, company }) => `saved job ${id} in ${company}`, {
    // A text may have several lines, and nested values are shown as JSON.
    as: ({ message, recipients, exclude, tasks, ...job }) => ({
      ...job,
      message: JSON.stringify(message),
      recipients: JSON.stringify(recipients),
      exclude: JSON.stringify(exclude),
      tasks: JSON.stringify(tasks),
    }),
    keys: ['id', 'company'],
    hiddenInLog: ['message', 'recipients', 'exclude'],
  }),
  faultsOf: jobFaults,
  create: savedJobRecords.put,
  change: savedJobRecords.put,
  remove: savedJobRecords.remove,
};

function jobFaults(asked: SavedJobPlan, view: View): readonly Fault[] {
  const after = view.after(savedJobs).get(savedJobs.keyOf(asked));
  if (asked.remove || after === undefined) return [];
  const { company, owner, type } = after;
  const faults: Fault[] = [];
  if (view.after(systemUsers).get(owner)?.company !== company)
    faults.push(faultAt(asked, 'owner', `the company ${company} has no system user "${owner}"`));
  const generic = (
    view.after(jobTypes).get(jobTypes.keyOf({ ...after, name: type } as never)) ??
    standardType(type)?.settings
  )?.generic;
  if (generic === undefined)
    return [...faults, faultAt(asked, 'type', `the company ${company} has no job type "${type}"`)];
  for (const key of misplacedIn(after, generic))
    faults.push(faultAt(asked, key, `does not apply to jobs of type ${type}, which derives from ${generic}`));
  return faults;
}
