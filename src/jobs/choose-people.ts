/**
 * Determines which people a run may ask, in which order and for which task and level, and who is left out and why (JOB-4,
 * JOB-5).
 */

import type { Caller } from '../accounts/caller.ts';
import { unknownNameFault } from '../contacts/address-book.ts';
import { type FoundPeople, type FoundPerson, findPeople, type PeopleSelection } from '../contacts/people.ts';
import { type Fault, type Result, success } from '../foundation/result.ts';
import type { Sentence } from '../foundation/sentences.ts';
import type { Store } from '../storage/store.ts';
import { type ReadOwner, theCaller } from '../storage/verb.ts';
import { cleanNumber, countryCodeOf } from '../wire/phone-number.ts';
import { formatTagFilter, parseTagFilter, type TagFilter } from '../wire/tag-filter.ts';
import type { JobTypeSettings } from './job-type.ts';
import { maxPeople, newPerson, type Person, type Task } from './run/run.ts';
import type { SavedJob, SavedRecipients } from './saved-job.ts';
import type { StartRequest } from './start-parameters.ts';

export interface LeftOut extends Pick<FoundPerson, 'name' | 'contactId' | 'phone'> {
  readonly why: 'excluded' | 'twice' | 'no phone number';
}

export interface Chosen {
  readonly tasks: readonly Task[];
  readonly people: readonly Person[];
  readonly leftOut: readonly LeftOut[];
}

interface Wanted {
  readonly tasks: readonly Task[];
  /** The people to find for each level of each task, in the order in which they are asked. */
  readonly selections: readonly (PeopleSelection & { readonly task: number; readonly level: number })[];
  readonly exclude: PeopleSelection;
}

/** `problem`: the saved job cannot be started in its current state. `fault`: the call itself is wrong. */
type Choice =
  | { readonly kind: 'chosen'; readonly chosen: Chosen }
  | { readonly kind: 'problem'; readonly problem: Sentence; readonly leftOut?: readonly LeftOut[] }
  | { readonly kind: 'fault'; readonly field: string; readonly fault: Fault };

export async function choosePeople(
  store: Store,
  caller: ReadOwner & Pick<Caller, 'countryCode'>,
  job: SavedJob,
  settings: JobTypeSettings,
  request: StartRequest,
): Promise<Choice> {
  const wanted =
    settings.generic === 'GMM' ? wantedByMessage(job, request) : wantedByTasks(job, settings, request);
  if (!wanted.ok) return { kind: 'problem', problem: sentenceOf(wanted) };
  const { tasks, selections, exclude } = wanted.value;
  const found = await findPeople(store, {
    ...theCaller(caller),
    selections: [exclude, ...selections].map((one) => withCleanNumbers(one, caller)),
    limit: maxPeople + 1,
  });
  if (found.kind !== 'found') return notFound(found, request);
  const [excluded = [], ...byLevel] = found.people;
  const chosen = choose(tasks, selections, byLevel, excluded);
  const count = chosen.people.length;
  if (count > maxPeople)
    return {
      kind: 'problem',
      problem: { sentence: 'job_too_many', most: maxPeople },
    };
  if (count > 0) return { kind: 'chosen', chosen };
  return { kind: 'problem', problem: nobody(chosen.leftOut), leftOut: chosen.leftOut };
}

/**
 * How many people the job's own filters name who may not be asked because of the filter of the job's type; undefined if they
 * are more than one run can have.
 */
export async function countNotMatching(
  store: Store,
  caller: ReadOwner,
  job: SavedJob,
  { globalTagFilter, ...settings }: JobTypeSettings,
  request: StartRequest,
  chosen: readonly Pick<FoundPerson, 'contactId'>[],
): Promise<number | undefined> {
  if (globalTagFilter === undefined || settings.generic === 'GMM' || request.filter !== undefined) return 0;
  const wanted = wantedByTasks(job, settings, request);
  if (!wanted.ok) return 0;
  const { selections } = wanted.value;
  const found = await findPeople(store, { ...theCaller(caller), selections, limit: maxPeople + 1 });
  if (found.kind !== 'found') return undefined;
  const named = new Set(found.people.flat().map(({ contactId }) => contactId));
  for (const { contactId } of chosen) named.delete(contactId);
  return named.size;
}

function nobody(leftOut: readonly LeftOut[]): Sentence {
  const because = [...new Set(leftOut.map(({ why }) => why))].join(', ');
  return because === '' ? { sentence: 'job_nobody' } : { sentence: 'job_all_left_out', because };
}

/** One task for all. The call's values replace or extend the saved values. */
function wantedByMessage({ content }: SavedJob, request: StartRequest): Result<Wanted> {
  const { recipients = noRecipients, exclude } = content;
  const isGiven = [request.numbers, request.savedFilters, request.groups].some(
    (list) => (list?.length ?? 0) > 0,
  );
  const keeps = request.keep || !(isGiven || request.filter !== undefined);
  const saved = selectionOf(keeps ? recipients : noRecipients);
  if (!saved.ok) return saved;
  const excluded = selectionOf({ ...noRecipients, ...exclude });
  if (!excluded.ok) return excluded;
  const { numbers, filters, savedFilters, groups } = saved.value;
  const goal = request.goal ?? content.responseGoal ?? null;
  const name = 'everybody';
  return success({
    tasks: [{ name: '', goal, levels: [{ name, afterMinutes: 0 }], opened: 0, waveAt: null }],
    selections: [
      {
        task: 0,
        level: 0,
        numbers: [...(request.numbers ?? []), ...numbers],
        filters: [...(request.filter === undefined ? [] : [request.filter]), ...filters],
        savedFilters: [...new Set([...(request.savedFilters ?? []), ...savedFilters])],
        groups: [...new Set([...(request.groups ?? []), ...groups])],
      },
    ],
    exclude: {
      ...excluded.value,
      numbers: [...excluded.value.numbers, ...(request.excludeNumbers ?? [])],
      filters: [
        ...excluded.value.filters,
        ...(request.excludeFilter === undefined ? [] : [request.excludeFilter]),
      ],
    },
  });
}

/** One task for each kind of people; a filter in the call replaces everything saved (API: rule 5). */
function wantedByTasks(
  { content }: SavedJob,
  settings: JobTypeSettings,
  request: StartRequest,
): Result<Wanted> {
  const selections: Wanted['selections'][number][] = [];
  const tasks: Task[] = [];
  if (request.filter !== undefined) {
    tasks.push(taskOf(formatTagFilter(request.filter.slice(0, 1)), request.goal ?? null, []));
    selections.push({ task: 0, level: 0, ...byFilter(request.filter) });
    return success({ tasks, selections, exclude: byNothing });
  }
  const all = settings.globalTagFilter === undefined ? success([]) : parseTagFilter(settings.globalTagFilter);
  if (!all.ok) return all;
  for (const [task, { tagType, tagValue, goal, escalations }] of (content.tasks ?? []).entries()) {
    const first = { tagType, tagValues: [tagValue] };
    tasks.push(taskOf(`${tagType}:${tagValue}`, goal, escalations));
    selections.push({ task, level: 0, ...byFilter([first, ...all.value]) });
    for (const [place, { tagFilter }] of escalations.entries()) {
      const filter = parseTagFilter(tagFilter);
      if (!filter.ok) return filter;
      selections.push({ task, level: place + 1, ...byFilter([...filter.value, ...all.value]) });
    }
  }
  // Sorted by level, so that people who are asked earlier have the earlier places.
  selections.sort((a, b) => a.level - b.level || a.task - b.task);
  return success({ tasks, selections, exclude: byNothing });
}

function taskOf(
  name: string,
  goal: number | null,
  escalations: readonly { afterMinutes: number; tagFilter: string; goal?: number }[],
): Task {
  const later = escalations.map(({ afterMinutes, tagFilter, goal: raised }) => ({
    name: tagFilter,
    afterMinutes,
    ...(raised === undefined ? {} : { goal: raised }),
  }));
  return { name, goal, levels: [{ name, afterMinutes: 0 }, ...later], opened: 0, waveAt: null };
}

const noRecipients: SavedRecipients = { numbers: [], savedTagFilters: [], groups: [] };
const byNothing: PeopleSelection = { numbers: [], filters: [], savedFilters: [], groups: [] };
const byFilter = (filter: TagFilter): PeopleSelection => ({ ...byNothing, filters: [filter] });

function selectionOf({
  numbers,
  tagFilter,
  savedTagFilters,
  groups,
}: SavedRecipients): Result<PeopleSelection> {
  const filter = tagFilter === undefined || tagFilter === '' ? undefined : parseTagFilter(tagFilter);
  if (filter?.ok === false) return filter;
  return success({
    numbers,
    savedFilters: savedTagFilters,
    groups,
    filters: filter === undefined ? [] : [filter.value],
  });
}

/** Returns each person once, identified by phone or, without a phone, by contact, with all the person's levels. */
function choose(
  tasks: readonly Task[],
  selections: Wanted['selections'],
  byLevel: readonly (readonly FoundPerson[])[],
  excluded: readonly FoundPerson[],
): Chosen {
  const unwanted = new Set(excluded.flatMap(marksOf));
  const known = new Map<string, KnownPerson>();
  const people: Person[] = [];
  const leftOut = new Map<string, LeftOut>();
  const leave = (found: FoundPerson, why: LeftOut['why']) => {
    const { name, contactId, phone } = found;
    leftOut.set(`${why} ${marksOf(found).at(-1)}`, { name, contactId, phone, why });
  };
  for (const [place, { task, level }] of selections.entries()) {
    for (const found of byLevel[place] ?? []) {
      const marks = marksOf(found);
      if (marks.some((mark) => unwanted.has(mark))) {
        leave(found, 'excluded');
        continue;
      }
      const same = marks.flatMap((mark) => known.get(mark) ?? [])[0];
      if (same !== undefined) {
        if (same.rowId !== found.rowId) leave(found, 'twice');
        if (!same.candidacies.some(([of]) => of === task)) same.candidacies.push([task, level]);
        continue;
      }
      if (found.phone === null && found.email === null) leave(found, 'no phone number');
      const { name, contactId, phone } = found;
      const candidacies: [number, number][] = [[task, level]];
      const about = { name, contactId, phone, place: people.length, candidacies, ...wayWithoutPhone(found) };
      const next = newPerson(about);
      people.push(next);
      for (const mark of marks) known.set(mark, { rowId: found.rowId, candidacies });
    }
  }
  return { tasks, people, leftOut: [...leftOut.values()] };
}

/** A person with a phone is asked by SMS. */
function wayWithoutPhone({ phone, email, app }: FoundPerson): Pick<Person, 'email' | 'hasAppOnly'> {
  if (phone !== null) return {};
  if (email !== null) return { email };
  return app === null ? {} : { hasAppOnly: true };
}

interface KnownPerson {
  readonly rowId: number | null;
  readonly candidacies: [task: number, level: number][];
}

/** Numbers in saved jobs and calls are as people wrote them; the numbers of contacts are already normalized. */
function withCleanNumbers<Selection extends PeopleSelection>(
  selection: Selection,
  caller: Pick<Caller, 'countryCode'>,
): Selection {
  const numbers = selection.numbers.map((written) => {
    const number = cleanNumber(written, countryCodeOf(caller));
    return number.ok ? number.value : written;
  });
  return { ...selection, numbers: [...new Set(numbers)] };
}

/** Two people with any of these marks in common are the same person. */
function marksOf({ rowId, phone }: FoundPerson): readonly string[] {
  return [...(phone === null ? [] : [`phone ${phone}`]), ...(rowId === null ? [] : [`contact ${rowId}`])];
}

/** What is wrong with the filters or numbers of the saved job. */
function sentenceOf({ error, values }: Fault): Sentence {
  return values ?? { sentence: 'job_people_wrong', wrong: error };
}

function notFound(found: Exclude<FoundPeople, { kind: 'found' }>, request: StartRequest): Choice {
  if (found.kind === 'tooMany') {
    return {
      kind: 'problem',
      problem: { sentence: 'job_filter_too_wide', most: maxPeople },
    };
  }
  if (found.kind === 'noDefaultBook') {
    return {
      kind: 'problem',
      problem: { sentence: 'job_no_book' },
    };
  }
  const { what, name } = found;
  const wrong = unknownNameFault(found);
  const isOfCall = (what === 'filter' ? request.savedFilters : request.groups)?.includes(name) ?? false;
  if (!isOfCall) return { kind: 'problem', problem: sentenceOf(wrong) };
  const field = what === 'filter' ? 'toaddressbooksavedtagfilters' : 'toaddressbookgroups';
  return { kind: 'fault', field, fault: wrong };
}
