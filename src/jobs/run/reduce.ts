/**
 * How an event changes a run, as drawn in run.ts, and which effects it requires. Pure: the time is the event's, and effects
 * are values that the caller carries out.
 */
import { isSentence, storedReason } from '../../foundation/sentences.ts';
import type { Answer } from '../../wire/answers/read-answer.ts';
import { system } from './entry.ts';
import { askWhich, remind, reply, say, sayCanceled, sendTexts, tell } from './outgoing.ts';
import { accept, decline, openAndAsk, promote, takeBack } from './places.ts';
import {
  freeIn,
  isGoalReached,
  note,
  noteEach,
  type Progress,
  personAt,
  type State,
  withEffects,
  withPeople,
  withPerson,
  withRun,
} from './progress.ts';
import {
  type Audience,
  type Happened,
  isNeeded,
  isSilent,
  maxAnswer,
  minutesAfter,
  type Outcome,
  type Person,
  type Run,
  type RunEvent,
} from './run.ts';
import { obstacleTo, type Unsendable } from './unsendable.ts';

/** A step of a run is one `start`, then everything that has happened, in order of time, then one `time`. */
export type Event = {
  readonly now: number;
  readonly unsendable: Unsendable;
} & (
  | { readonly kind: 'start' }
  | ({ readonly kind: 'happened' } & Happened)
  | {
      readonly kind: 'time';
      /** Whether the owner wants the next level now. */
      readonly isPushed: boolean;
      /** Whether more may have happened, which the next step handles; nothing is given up before then. */
      readonly hasMore: boolean;
    }
);

/** Returns the run's new state, with the effects of this event. */
export function reduce(state: State, event: Event): Progress {
  const { now, unsendable } = event;
  const before: Progress = { ...state, now, unsendable, heldBack: [], effects: [] };
  if (event.kind === 'start') return start(before);
  if (event.kind === 'time') return sendTexts(passTime(before, event));
  // An answer is in time if it arrived before the end, whenever it is processed. An event from the future means that a clock
  // was set back.
  return settle(take(endIfOver(before, Math.min(event.at, now)), event.event));
}

function start(before: Progress): Progress {
  const { run, now } = before;
  if (run.phase !== 'scheduled' || now < run.startAt) return before;
  const started = withRun(before, {
    phase: 'open',
    expiryAt: minutesAfter(run.startAt, run.settings.expiryMinutes),
    tasks: run.tasks.map((task) => ({ ...task, opened: 1 })),
  });
  return warnOfGoals(note(started, 'start', { by: run.starter }));
}

/** People are asked even if the goal cannot be met, and the owner is told at the start. */
function warnOfGoals(before: Progress): Progress {
  const { run, people, unsendable } = before;
  const warnings = run.tasks.flatMap(({ name, goal, levels }, place) => {
    const needed = levels.reduce((most, level) => Math.max(most, level.goal ?? 0), goal ?? 0);
    const may = people.filter(
      (person) =>
        obstacleTo(person, unsendable) === undefined && person.candidacies.some(([task]) => task === place),
    );
    if (goal === null || may.length >= needed) return [];
    return [{ why: storedReason({ sentence: 'goal_short', task: name, needed, may: may.length }) }];
  });
  return noteEach(before, 'warning', warnings);
}

function take(before: Progress, event: RunEvent): Progress {
  if (event.kind === 'answer') return takeSms(before, event);
  if (event.kind === 'stopped') return takeStopped(before, event);
  if (event.kind === 'answered') return takeByLink(before, event);
  if (event.kind === 'failed') return takeFailed(before, event);
  if (event.kind === 'withdrawn') return takeWithdrawn(before, event);
  return takeAct(before, event);
}

function takeFailed(before: Progress, { place, status }: RunEvent & { kind: 'failed' }): Progress {
  if (before.run.phase === 'ended' || before.people.at(place)?.state !== 'asked') return before;
  const after = withPerson(before, place, { state: 'unreachable' });
  return note(after, 'unreached', {
    people: [place],
    why: isSentence(status) ? status : storedReason({ sentence: 'sms_status', status }),
  });
}

function takeSms(
  before: Progress,
  { phone, answer, text, unclear }: RunEvent & { kind: 'answer' },
): Progress {
  const place = before.people.placeOf(phone);
  if (place === undefined) return before;
  const meaning = unclear === undefined ? answer.meaning : 'unclear';
  const noted = answered(note(before, 'reply', { people: [place], text, meaning }), place, meaning, text);
  if (unclear === undefined) return takeAnswer(noted, place, answer.meaning);
  return unclear.wasAsked ? noted : askWhich(noted, place, unclear.choices);
}

function takeStopped(before: Progress, { phone, text }: RunEvent & { kind: 'stopped' }): Progress {
  const place = before.people.placeOf(phone);
  if (place === undefined || before.run.phase === 'ended') return before;
  const why = storedReason({ sentence: 'heard_by_all' });
  const noted = note(before, 'reply', { people: [place], text, meaning: 'no', why });
  return takeBack(answered(noted, place, 'no', text), place);
}

function takeByLink(before: Progress, { place, meaning }: RunEvent & { kind: 'answered' }): Progress {
  if (before.people.at(place) === undefined) return before;
  const why = storedReason({ sentence: 'by_mail_link' });
  const noted = note(before, 'reply', { people: [place], meaning, why });
  return takeAnswer(answered(noted, place, meaning), place, meaning);
}

/** Keeps the answer with the person. A person who asks where they stand has not answered. */
function answered(before: Progress, place: number, meant: string, said?: string): Progress {
  if (meant === 'query') return before;
  const meaning = meant === 'yes' || meant === 'no' ? meant : 'comment';
  const text = said === undefined ? {} : { text: shortened(said) };
  return withPerson(before, place, { answer: { at: before.now, meaning, ...text } });
}

/** A cut within a surrogate pair would leave invalid Unicode. */
function shortened(text: string): string {
  return text.length <= maxAnswer ? text : `${text.slice(0, maxAnswer - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function takeAnswer(before: Progress, place: number, meaning: Answer['meaning']): Progress {
  if (before.run.phase === 'ended') return tooLate(before, place, meaning);
  if (meaning === 'yes') return accept(before, place);
  if (meaning === 'no') return decline(before, place);
  const person = personAt(before, place);
  if (meaning === 'query') return reply(before, place, statusNameFor(person));
  if (hasAnswered(person) || person.helped) return before;
  return reply(withPerson(before, place, { helped: true }), place, 'helpText');
}

/** Sent only once, since repeated answers may come from a machine. */
function tooLate(before: Progress, place: number, meaning: string): Progress {
  const { task, late } = personAt(before, place);
  if (meaning !== 'yes' || late) return before;
  const isCountedOn = task !== null && before.run.outcome !== 'CANCELED';
  return reply(withPerson(before, place, { late: true }), place, isCountedOn ? 'assignedText' : 'lateText');
}

function hasAnswered({ state }: Person): boolean {
  return state === 'yes' || state === 'no';
}

function statusNameFor(person: Person) {
  if (person.task !== null) return 'heldStatus';
  if (person.reserve !== null) return 'reserveStatus';
  return hasAnswered(person) ? 'doneStatus' : 'openStatus';
}

/** People who never got the question may be asked again later; the others are told that no one else is needed. */
function takeWithdrawn(before: Progress, { asked, withdrawn }: RunEvent & { kind: 'withdrawn' }): Progress {
  const { phase, outcome } = before.run;
  const never = new Set(withdrawn);
  const silent = asked.flatMap((place) => before.people.at(place) ?? []).filter(isSilent);
  const waiting = silent.filter(({ place }) => never.has(place));
  const isOver = phase === 'finished' || phase === 'ended';
  const notified = isOver ? silent.filter(({ place }) => !never.has(place)) : [];
  const isCanceled = outcome === 'CANCELED';
  const freed = withPeople(
    before,
    waiting.map((person) => ({ ...person, state: 'waiting', askedAt: null })),
  );
  const unneeded = notified.map((person) => ({ ...person, unneeded: true }));
  const said = isCanceled ? sayCanceled(freed, unneeded) : say(freed, unneeded, 'unneededText');
  const noted = withdrawn.length > 0 ? note(said, 'withdraw', { people: withdrawn }) : said;
  if (notified.length === 0) return noted;
  const why = storedReason({ sentence: isCanceled ? 'called_off' : 'nobody_else_needed' });
  return note(noted, 'tell', { people: notified.map(({ place }) => place), why });
}

function takeAct(before: Progress, { act, by }: RunEvent & { kind: 'act' }): Progress {
  const { run } = before;
  if (act.kind === 'cancel' && run.phase !== 'ended')
    return cancel(withRun(before, { canceledText: act.text }), by);
  const place = 'phone' in act ? before.people.placeOf(act.phone) : 'place' in act ? act.place : undefined;
  const why = storedReason(
    act.kind === 'extend'
      ? { sentence: 'run_extended', minutes: act.minutes }
      : { sentence: 'run_act', act: act.kind },
  );
  const noted = note(before, 'act', {
    by,
    ...(place !== undefined && { people: [place] }),
    ...('comment' in act && act.comment !== undefined && { text: act.comment }),
    why: isRunning(run) ? why : storedReason({ sentence: 'run_act_not_done', act: why, phase: run.phase }),
  });
  if (!isRunning(run)) return noted;
  // Texts that were held back are retried at once.
  if (act.kind === 'escalate') return withRun(noted, { heldUntil: undefined });
  if (act.kind === 'extend') {
    const expiryAt = minutesAfter(run.expiryAt as number, act.minutes);
    return withEffects(withRun(noted, { expiryAt }), [{ kind: 'awaitUntil', time: expiryAt }]);
  }
  if (act.kind === 'tell') {
    const to =
      'to' in act
        ? noted.people.filter((person) => isAddressed(person, act.to))
        : noted.people.filter((person) => person.place === place);
    const people = to.map((person) => person.place);
    return note(tell(noted, to, act.text), 'tell', { by, people, text: act.text });
  }
  if (place === undefined || (act.kind !== 'accept' && act.kind !== 'decline')) return noted;
  const counted = answered(noted, place, act.kind === 'accept' ? 'yes' : 'no', act.comment);
  return act.kind === 'accept' ? accept(counted, place, by) : decline(counted, place, by);
}

function isAddressed(person: Person, to: Audience): boolean {
  if (to === 'assigned') return person.task !== null;
  if (to === 'silent') return isSilent(person);
  return person.state !== 'waiting' && person.state !== 'unreachable';
}

/** Everyone still expecting to be needed is notified. */
function cancel(before: Progress, by: string): Progress {
  const counted = before.people.filter(({ task, reserve }) => task !== null || reserve !== null);
  return withdrawSilent(end(sayCanceled(before, counted), 'CANCELED', by));
}

/** Runs after each event, so that a freed place goes to the first reserve before anyone else answers. */
function settle(before: Progress): Progress {
  if (!isRunning(before.run)) return before;
  const after = promote(before);
  const { phase, outcome } = after.run;
  if (isGoalReached(after)) return outcome === 'GOAL_REACHED' ? after : finish(after, 'GOAL_REACHED');
  const isReopened = outcome === 'GOAL_REACHED' || (phase === 'finished' && !isNobodyLeft(after));
  return isReopened ? reopen(after) : after;
}

function reopen(before: Progress): Progress {
  const opened = note(withRun(before, { phase: 'open', outcome: null }), 'reopen');
  const dismissed = opened.people.filter(({ state, unneeded }) => state === 'asked' && unneeded);
  return withPeople(
    opened,
    dismissed.map((person) => ({ ...person, state: 'waiting', unneeded: false })),
  );
}

function finish(before: Progress, outcome: Outcome): Progress {
  const after = note(withRun(before, { phase: 'finished', outcome }), 'finish', { outcome });
  return outcome === 'GOAL_REACHED' && before.run.settings.tellUnneeded ? withdrawSilent(after) : after;
}

function withdrawSilent(before: Progress): Progress {
  const places = before.people.filter(isSilent).map(({ place }) => place);
  return withEffects(before, [{ kind: 'withdraw', places }]);
}

function passTime(before: Progress, { isPushed, hasMore }: Event & { kind: 'time' }): Progress {
  const { now } = before;
  const after = hasMore ? before : endIfOver(before, now);
  const { phase, expiryAt } = after.run;
  if (phase !== 'open' || now >= (expiryAt as number) || (hasMore && !isPushed)) return after;
  // A reserve may have taken the last place in a newly opened level.
  const asked = settle(openAndAsk(warnIfDue(after), isPushed));
  if (asked.run.phase !== 'open') return asked;
  return isNobodyLeft(asked) ? finish(asked, 'ALL_ANSWERED') : remindSilent(asked);
}

function warnIfDue(before: Progress): Progress {
  const { run, now } = before;
  const { warningMinutes } = run.settings;
  if (warningMinutes === undefined || run.warned || now < minutesAfter(run.startAt, warningMinutes))
    return before;
  return note(withRun(before, { warned: true }), 'warning', {
    why: storedReason({ sentence: 'minutes_passed', minutes: warningMinutes }),
  });
}

function endIfOver(before: Progress, time: number): Progress {
  const { run } = before;
  return isRunning(run) && time >= (run.expiryAt as number) ? end(before, run.outcome ?? 'EXPIRED') : before;
}

/** A finished run keeps its outcome, which its owner has already been told. */
function end(before: Progress, outcome: Outcome, by = system): Progress {
  const ended = withRun(before, { phase: 'ended', outcome });
  const isKnown = before.run.outcome === outcome;
  const noted = isKnown ? note(ended, 'end') : note(ended, 'finish', { by, outcome });
  return withEffects(noted, [{ kind: 'awaitUntil', time: before.now }]);
}

function isRunning({ phase }: Run): boolean {
  return phase === 'open' || phase === 'finished';
}

/** Whether, for every free place, no one can still answer and no one is left to ask. */
function isNobodyLeft(progress: Progress): boolean {
  const open = new Set(
    progress.run.tasks.flatMap((_, place) => (freeIn(progress, place) > 0 ? [place] : [])),
  );
  return !progress.people.some(
    (person) =>
      (person.state === 'waiting' || isSilent(person)) && person.candidacies.some(([task]) => open.has(task)),
  );
}

function remindSilent(before: Progress): Progress {
  const { run, now, people } = before;
  const { reminderMinutes } = run.settings;
  if (reminderMinutes === undefined) return before;
  const due = people.filter(
    (person) =>
      isSilent(person) &&
      !person.reminded &&
      now >= minutesAfter(person.askedAt as number, reminderMinutes) &&
      isNeeded(person, run.tasks, (task) => freeIn(before, task)),
  );
  return remind(before, due);
}
