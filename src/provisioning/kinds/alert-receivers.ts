/** Alert receivers of a company in a provisioning file: what happens when a monitoring program reports an alert. */
import { type AlertPointers, type AlertSource, alertSources, checkedPointer } from '../../alerts/alert.ts';
import {
  type AcknowledgeSettings,
  type AlertRecipients,
  contradictionIn,
  maxAcknowledgeHours,
  maxAgainHours,
  maxGroupMinutes,
  maxNamesOfAlert,
  maxReceivers,
  maxReceiverText,
  maxRecipientsOfAlert,
  placeOfReceiverSecret,
  receiverDefaults,
} from '../../alerts/receiver.ts';
import {
  putReceivers,
  type ReceiverRecord,
  readReceivers,
  removeReceivers,
} from '../../alerts/receiver-records.ts';
import { inEnglish } from '../../foundation/sentences.ts';
import { withoutAbsent } from '../../storage/stored-record.ts';
import { cleanNumber } from '../../wire/phone-number.ts';
import type { Fault } from '../../yaml/fault.ts';
import {
  flag,
  list,
  needed,
  object,
  oneOfWords,
  optional,
  plainText,
  type Read,
  ruled,
  text,
  wholeNumber,
} from '../../yaml/fields.ts';
import { callbackUrl, givenId, name, remove, storableText, tagFilter, username } from '../objects/fields.ts';
import { type Kind, keeping, namedIn, type View } from '../objects/kind.ts';
import { lines } from '../objects/line.ts';
import { faultAt, type Planned, planned } from '../objects/planned.ts';
import { companies } from './companies.ts';
import { savedJobs } from './saved-jobs.ts';
import { userRemovers, users } from './users.ts';

interface ReceiverPlan extends Planned, ReceiverRecord {}

const pointer = optional(ruled(checkedPointer, plainText(200)), undefined);
const words = optional(list(text(plainText(100)), 20), undefined);

/** Without its place in the file, and without keys that have no value. */
function plain<Item extends object>(read: Read<Item>) {
  return ((tree, faults) => {
    const { place: _, fieldPlaces: __, ...kept } = (read(tree, faults) ?? {}) as Record<string, unknown>;
    return withoutAbsent(kept);
  }) as Read<unknown>;
}

const send = plain(
  object({
    numbers: optional(
      list(
        ruled((written) => cleanNumber(written)),
        maxRecipientsOfAlert,
      ),
      [],
    ),
    tagFilter: optional(tagFilter, undefined),
    groups: optional(list(text(plainText(100)), maxNamesOfAlert), []),
  }),
) as Read<AlertRecipients>;

const pointers = plain(
  object({
    items: pointer,
    fingerprint: pointer,
    state: pointer,
    firing: words,
    resolved: words,
    title: pointer,
    labels: pointer,
    annotations: pointer,
    startedAt: pointer,
    url: pointer,
  }),
) as Read<AlertPointers>;

const acknowledge = plain(
  object({
    url: needed(callbackUrl, ''),
    hours: optional(wholeNumber(1, maxAcknowledgeHours), receiverDefaults.acknowledgeHours),
    token: optional(text(plainText(2_000)), undefined),
    username: optional(text(plainText(200)), undefined),
    password: optional(text(plainText(1_000)), undefined),
  }),
) as Read<AcknowledgeSettings>;

export const alertReceivers: Kind<ReceiverPlan, ReceiverRecord> = {
  section: 'alertReceivers',
  within: 'company',
  noun: 'this alert receiver',
  read: planned(
    {
      name: needed(name, ''),
      source: optional(oneOfWords<AlertSource>(alertSources), 'generic' as const),
      user: optional(username, ''),
      start: optional(givenId, undefined),
      send: optional(send, undefined),
      text: optional(text(storableText(maxReceiverText)), ''),
      groupMinutes: optional(wholeNumber(0, maxGroupMinutes), receiverDefaults.groupMinutes),
      againHours: optional(wholeNumber(0, maxAgainHours), receiverDefaults.againHours),
      ownAlerts: optional(flag, false),
      pointers: optional(pointers, undefined),
      acknowledge: optional(acknowledge, undefined),
      remove,
    },
    { needs: ['source', 'user'] },
  ),
  keyField: 'name',
  keyOf: ({ company, name: one }) => `${one} ${company}`,
  mentions: ({ user }) => (user === '' ? {} : { users: { keys: [user] } }),
  load: (reading, scope) => readReceivers(reading, namedIn(scope, 'companies').keys),
  after({ place: _, fieldPlaces, resets: __, remove: ___, ...asked }, before, ____, keeps) {
    // What starts a job sends no SMS, and the other way round, so that a file can change from one to the other.
    const other = 'send' in fieldPlaces ? 'start' : 'send';
    return keeping(
      asked,
      before,
      (key) => keeps(key) && !(key === other && ('send' in fieldPlaces || 'start' in fieldPlaces)),
    );
  },
  describe: lines(({ name: one, company }) => `alert receiver ${one} in ${company}`, {
    as: ({ send: to, pointers: at, acknowledge: told, text: said, ...receiver }) => ({
      ...receiver,
      send: to && JSON.stringify(to),
      text: said === '' ? undefined : JSON.stringify(said),
      pointers: at && JSON.stringify(at),
      acknowledge: told && `${told.url} ${told.hours}`,
    }),
    keys: ['name', 'company'],
    // An address may contain a key.
    hiddenInLog: ['send', 'text', 'acknowledge'],
    ordinary: { ...receiverDefaults, ownAlerts: false },
  }),
  faultsOf: receiverFaults,
  faults: (view) => [...leftBehind(view), ...tooMany(view)],
  async protect(asked, before, { sealing }) {
    const { acknowledge: to } = asked;
    if (to === undefined) return asked;
    const was = before?.acknowledge?.url === to.url ? before.acknowledge : undefined;
    const sealed = (field: 'token' | 'password') => {
      const secret = to[field];
      return secret && sealing.seal(secret, placeOfReceiverSecret(to.url, field), was?.[field]);
    };
    const secrets = { token: sealed('token'), password: sealed('password') };
    return { ...asked, acknowledge: withoutAbsent({ ...to, ...secrets }) };
  },
  create: putReceivers,
  change: putReceivers,
  remove: removeReceivers,
};

function receiverFaults(asked: ReceiverPlan, view: View): readonly Fault[] {
  const after = view.after(alertReceivers).get(alertReceivers.keyOf(asked));
  if (asked.remove || after === undefined) return [];
  const { company, user: username, start, send: to, source, pointers: at, acknowledge: told } = after;
  const settings = withoutAbsent({
    ...after,
    start,
    send: to,
    pointers: at,
  });
  const wrong = contradictionIn({ source, settings, acknowledge: told });
  const faults: Fault[] = [];
  if (wrong !== undefined)
    faults.push(faultAt(asked, wrong.field, inEnglish({ sentence: wrong.sentence }).replace(/\.$/, '')));
  const user = view.after(users).get(username);
  if (user?.company !== company)
    return [...faults, faultAt(asked, 'user', `the company ${company} has no user "${username}"`)];
  const role = start === undefined ? 'send' : 'jobs';
  if (!user.roles.includes(role))
    faults.push(faultAt(asked, 'user', `the user ${username} needs the role ${role} for this`));
  if (start === undefined) return faults;
  const job = view.after(savedJobs).get(savedJobs.keyOf({ company, id: start } as never));
  if (job === undefined || job.owner !== user.systemUser)
    faults.push(faultAt(asked, 'start', `there is no saved job ${start} that ${username} may start`));
  return faults;
}

/** Finds receivers of users who are removed. */
function leftBehind(view: View): readonly Fault[] {
  const removers = userRemovers(view);
  return [...view.after(alertReceivers).values()].flatMap(({ name: one, user }) => {
    const remover = removers.get(user);
    if (remover === undefined) return [];
    const sentence = `the alert receiver ${one} acts as ${user}; remove it too, or change its "user"`;
    return [faultAt(remover, 'remove', sentence)];
  });
}

function tooMany(view: View): readonly Fault[] {
  return [...view.asked(companies).values()].flatMap((company) => {
    const own = [...view.after(alertReceivers).values()].filter((one) => one.company === company.name);
    if (own.length <= maxReceivers) return [];
    const sentence = `a company may have at most ${maxReceivers} alert receivers; this one would have ${own.length}`;
    return [faultAt(company, 'alertReceivers', sentence)];
  });
}
