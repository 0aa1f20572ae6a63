/**
 * Texts to people. A step sends each person one text; further texts, and those for which there is no room, wait in the
 * person's record.
 */
import { storedReason } from '../../foundation/sentences.ts';
import { type ReplyName, textOf } from '../texts.ts';
import {
  type Details,
  note,
  noteEach,
  type OutgoingText,
  type Progress,
  personAt,
  withEffects,
  withPeople,
  withRun,
} from './progress.ts';
import { type Choice, maxReplies, type Person, type UnsentText } from './run.ts';
import { asReason, obstacleTo } from './unsendable.ts';

/** Maximum number of runs named when asking which run a person meant: they must fit into an SMS or two. */
const maxChoices = 8;
const maxJobLength = 30;
/** Maximum number of e-mails in one step; the others are for the next step, which follows at once. */
export const maxMails = 1_000;
/** A text that could not be sent for this long is no longer useful. */
const patienceMs = 24 * 60 * 60_000;

/** Limits on SMS do not hold back mail. */
const wayTo = ({ phone }: Person) => (phone === null ? 'mails' : 'sms');

/**
 * Divides people by whether there is room to ask them now. For want of room, a question is not created at all. While texts
 * are held back, no SMS is tried before the time set for that, since each answer causes a step.
 */
export function divideByRoom(progress: Progress, people: readonly Person[]) {
  const { run, pending, now, unsendable } = progress;
  const isTime = (run.heldUntil ?? 0) <= now;
  const room = { sms: isTime ? (unsendable.held?.atMost ?? Number.POSITIVE_INFINITY) : 0, mails: maxMails };
  for (const place of pending) room[wayTo(personAt(progress, place))] -= 1;
  const [fitting, later]: [Person[], Person[]] = [[], []];
  for (const person of people) {
    const way = wayTo(person);
    (room[way] > 0 ? fitting : later).push(person);
    if (room[way] > 0 && person.unsent === undefined) room[way] -= 1;
  }
  return { fitting, later };
}

export function holdBack(progress: Progress, people: readonly Person[]): Progress {
  return { ...progress, heldBack: [...progress.heldBack, ...people.map(({ place }) => place)] };
}

/** Asks these people, and records them all in one entry. */
export function ask(before: Progress, people: readonly Person[], why: string): Progress {
  if (people.length === 0) return before;
  const { now: askedAt } = before;
  const asked = people.map((one): Person => {
    const person = withCode(before, one);
    const unsent = unsentWith(before, person, questionTo(before, person), 'question');
    return { ...person, state: 'asked', askedAt, unneeded: false, reminded: false, unsent };
  });
  return note(withPeople(before, asked), 'ask', { people: asked.map(({ place }) => place), why });
}

/** People who cannot be sent to also count as reminded. */
export function remind(before: Progress, people: readonly Person[]): Progress {
  const { settings, jobName: job } = before.run;
  const isObstructed = (person: Person) => obstacleTo(person, before.unsendable) !== undefined;
  const { later } = divideByRoom(
    before,
    people.filter((person) => !isObstructed(person)),
  );
  const waiting = new Set(later);
  const reminded = people
    .filter((person) => !waiting.has(person))
    .map((one): Person => {
      if (isObstructed(one)) return { ...one, reminded: true };
      const person = withCode(before, one);
      const text = textOf(settings, 'reminderText', { job, message: questionTo(before, person) });
      return { ...person, reminded: true, unsent: unsentWith(before, person, text, 'question') };
    });
  const after = withPeople(holdBack(before, later), reminded);
  return reminded.length === 0
    ? after
    : note(after, 'remind', { people: reminded.map(({ place }) => place) });
}

/** Tells people the current state, or what has changed. */
export function say(progress: Progress, people: readonly Person[], name: ReplyName): Progress {
  const coded = people.map((person) => withCode(progress, person));
  return write(progress, coded, 'standing', (person) =>
    textOf(progress.run.settings, name, valuesFor(progress, person)),
  );
}

/** In the words of who cancelled the run, if there are any. */
export function sayCanceled(progress: Progress, people: readonly Person[]): Progress {
  const { canceledText } = progress.run;
  return canceledText === undefined
    ? say(progress, people, 'canceledText')
    : write(progress, people, 'standing', () => canceledText);
}

/** Sends people the owner's own words. */
export function tell(progress: Progress, people: readonly Person[], text: string): Progress {
  return write(progress, people, 'told', () => text);
}

/** Sends a reply to what the person wrote. */
export function reply(progress: Progress, place: number, name: ReplyName): Progress {
  const person = personAt(progress, place);
  if (person.replies >= maxReplies) return progress;
  return say(progress, [{ ...person, replies: person.replies + 1 }], name);
}

/** Asks once for each answer that may be meant for several runs. */
export function askWhich(progress: Progress, place: number, choices: readonly Choice[]): Progress {
  const person = personAt(progress, place);
  if (person.replies >= maxReplies) return progress;
  const names = choices
    .slice(0, maxChoices)
    .map(({ code, job }) => `${code} (${job.slice(0, maxJobLength)})`);
  const text = textOf(progress.run.settings, 'whichText', { choices: names.join(', ') });
  return write(progress, [{ ...person, replies: person.replies + 1 }], 'which', () => text);
}

/** Works on the people as passed in. Records what cannot be sent, except for people without any address. */
function write(
  before: Progress,
  people: readonly Person[],
  kind: UnsentText['kind'],
  textFor: (person: Person) => string,
): Progress {
  const failed: Details[] = [];
  const written = people.map((person): Person => {
    const text = textFor(person);
    const why = obstacleTo(person, before.unsendable);
    if (why === undefined) return { ...person, unsent: unsentWith(before, person, text, kind) };
    if (person.phone !== null || person.email !== undefined)
      failed.push({ people: [person.place], text, why });
    return person;
  });
  return noteEach(withPeople(before, written), 'notSent', failed);
}

/**
 * Keeps only the latest text about the person's state (the question counts as such a text) and the latest text asking
 * which run is meant.
 */
function unsentWith(
  { now: since }: Progress,
  { unsent = [] }: Person,
  text: string,
  kind: UnsentText['kind'],
): readonly UnsentText[] {
  const isLike = (one: UnsentText) =>
    kind !== 'told' && one.kind !== 'told' && (one.kind === 'which') === (kind === 'which');
  return [...unsent.filter((one) => !isLike(one)), { text, kind, since }];
}

/** Includes the code if several runs ask the person from one number. */
function questionTo({ run }: Progress, { code }: Person): string {
  const { settings, jobName: job, message } = run;
  return code === undefined ? message : textOf(settings, 'codeText', { job, message, code });
}

function withCode({ unsendable }: Progress, person: Person): Person {
  const code = unsendable.codes?.get(person.phone ?? '');
  return code === undefined || code === person.code ? person : { ...person, code };
}

function valuesFor({ run, people, held, waitlist }: Progress, { place, reserve, code }: Person) {
  return {
    job: run.jobName,
    found: held.reduce((sum, one) => sum + one, 0),
    needed: run.tasks.reduce((sum, { goal }) => sum + (goal ?? people.size), 0),
    // Reserves come first in the list.
    place: reserve === null ? 0 : waitlist.indexOf(place) + 1,
    ...(code !== undefined && { code }),
  };
}

const isQuestion = ({ kind }: UnsentText) => kind === 'question';
const isAsked = ({ unsent = [] }: Person) => unsent.some(isQuestion);

/**
 * Sends one text to each person who has one waiting, as far as there is room. Questions come first, since their room is
 * already allotted.
 */
export function sendTexts(before: Progress): Progress {
  const room = { sms: before.unsendable.held?.atMost ?? Number.POSITIVE_INFINITY, mails: maxMails };
  const people = before.pending.map((place) => personAt(before, place));
  const sent: OutgoingText[] = [];
  const [later, after]: [Person[], Person[]] = [[], []];
  const failed: Details[] = [];
  for (const person of [...people.filter(isAsked), ...people.filter((one) => !isAsked(one))]) {
    const { place, phone, unsent = [] } = person;
    const way = wayTo(person);
    const obstacle = obstacleTo(person, before.unsendable);
    const wanted = unsent.filter(({ text, since }) => {
      const isOld = before.now - since > patienceMs;
      const why = obstacle ?? (isOld ? storedReason({ sentence: 'not_within_a_day' }) : undefined);
      if (why !== undefined) failed.push({ people: [place], text, why });
      return why === undefined;
    });
    const question = wanted.find(isQuestion);
    const next = question ?? (room[way] > 0 ? wanted[0] : undefined);
    if (next !== undefined) {
      sent.push({ kind: 'send', place, phone, text: next.text, isQuestion: next === question });
      room[way] -= 1;
    } else if (wanted.length > 0) later.push(person);
    const rest = wanted.filter((text) => text !== next);
    if (rest.length < unsent.length) after.push({ ...person, unsent: rest.length > 0 ? rest : undefined });
  }
  const noted = noteEach(withPeople(before, after), 'notSent', failed);
  const pending = noted.pending.filter((place) => personAt(noted, place).unsent !== undefined);
  return withEffects(noteHeld(holdBack({ ...noted, pending }, later)), sent);
}

/** Records when those for whom there was no room are tried again. */
function noteHeld(before: Progress): Progress {
  const { run, now, unsendable, heldBack } = before;
  const { held } = unsendable;
  const isMail = (place: number) => personAt(before, place).phone === null;
  const people = [...new Set(heldBack.filter((place) => !isMail(place)))];
  const heldUntil = people.length > 0 ? (held?.until ?? run.heldUntil) : undefined;
  const after = withRun(before, { heldUntil: heldBack.some(isMail) ? now : heldUntil });
  const isNew = run.heldUntil === undefined && held !== undefined && people.length > 0;
  return isNew
    ? note(after, 'notSent', {
        people,
        why: storedReason({ sentence: 'tried_again', why: asReason(held.why) }),
      })
    : after;
}
