/**
 * The state machine of runs, drawn in run.ts: what has happened and what time it is make of a run the next one, the texts
 * to send, and the entries of the timeline. Pure: all of it is stored in one transaction, or worked out again.
 */
import type { Answer } from '../answers/read-answer.ts';
import type { Entry } from './entry.ts';
import { accept, decline, openAndAsk, promote, takeBack } from './places.ts';
import {
  type Act,
  type Happened,
  isNeeded,
  isSilent,
  minutesAfter,
  nextDue,
  type Outcome,
  type Person,
  type RunEvent,
  type RunWithPeople,
} from './run.ts';
import { type OutgoingText, Step, type Unsendable } from './step.ts';

export interface Advanced extends RunWithPeople {
  readonly entries: readonly Entry[];
  readonly texts: readonly OutgoingText[];
  /** Places of the people who are not as they were. */
  readonly changed: readonly number[];
  readonly withdraw: readonly number[];
  /** When there is another step to make, though nothing more happens; null: never. */
  readonly dueAt: number | null;
}

/** What has come to a run, in the order of time. */
interface News {
  readonly happened: readonly Happened[];
  /** There may be more of it, which comes in the next step, and nothing is given up before that. */
  readonly hasMore: boolean;
}

const everybody: Unsendable = { phones: new Map() };

export function advance(
  before: RunWithPeople,
  { happened, hasMore }: News,
  now: number,
  unsendable: Unsendable = everybody,
): Advanced {
  const step = new Step(before, now, unsendable);
  let isPushed = false;
  if (step.run.phase === 'scheduled' && step.run.startAt <= now) start(step);
  for (const { at, event } of happened) {
    // What came after the end is too late, whenever it is taken in; and before that, in time. A clock was set back where
    // something comes from the future.
    endWhenOver(step, Math.min(at, now));
    isPushed ||= event.kind === 'act' && event.act.kind === 'escalate';
    take(step, event);
    settle(step);
  }
  if (!hasMore) endWhenOver(step, now);
  const isOver = now >= (step.run.expiryAt ?? now);
  if (step.run.phase === 'open' && !isOver && (isPushed || !hasMore)) passTime(step, isPushed);
  const texts = step.send();
  const { run, people, entries, changed, withdraw } = step;
  // What time brings comes after what is still to be taken in, of which there may be none after all.
  const dueAt = hasMore ? now : nextDue(step);
  return { run, people, entries, texts, changed: [...changed], withdraw, dueAt };
}

function start(step: Step): void {
  const { run } = step;
  run.phase = 'open';
  run.expiryAt = minutesAfter(run.startAt, run.settings.expiryMinutes);
  for (const task of run.tasks) task.opened = 1;
  step.note('start', { by: run.starter });
  warnOfGoals(step);
}

/** A goal that can't be met is asked for all the same, and its owner knows from the beginning. */
function warnOfGoals(step: Step): void {
  for (const [place, { name, goal, levels }] of step.run.tasks.entries()) {
    const needed = levels.reduce((most, level) => Math.max(most, level.goal ?? 0), goal ?? 0);
    const may = step.people.filter(
      (person) => step.whyNot(person) === undefined && person.candidacies.some(([task]) => task === place),
    );
    if (goal === null || may.length >= needed) continue;
    step.note('warning', { why: `${name || 'everybody'}: ${needed} needed, ${may.length} to ask` });
  }
}

function take(step: Step, event: RunEvent): void {
  if (event.kind === 'answer') takeSms(step, event);
  else if (event.kind === 'stopped') takeStopped(step, event);
  else if (event.kind === 'answered') takeByLink(step, event);
  else if (event.kind === 'failed') takeFailed(step, event);
  else if (event.kind === 'withdrawn') takeWithdrawn(step, event);
  else takeAct(step, event.act, event.by);
}

function takeFailed(step: Step, { place, status }: RunEvent & { kind: 'failed' }): void {
  const person = step.people[place];
  if (step.run.phase === 'ended' || person?.state !== 'asked') return;
  step.change(person, { state: 'unreachable' });
  step.note('unreached', { people: [place], why: status });
}

function takeSms(step: Step, { phone, answer, text, unclear }: RunEvent & { kind: 'answer' }): void {
  const person = step.find(phone);
  if (person === undefined) return;
  if (unclear !== undefined) {
    step.note('reply', { people: [person.place], text, meaning: 'unclear' });
    if (!unclear.wasAsked) step.askWhich(person, unclear.choices);
    return;
  }
  step.note('reply', { people: [person.place], text, meaning: answer.meaning });
  takeAnswer(step, person, answer.meaning);
}

function takeStopped(step: Step, { phone, text }: RunEvent & { kind: 'stopped' }): void {
  const person = step.find(phone);
  if (person === undefined || step.run.phase === 'ended') return;
  step.note('reply', { people: [person.place], text, meaning: 'no', why: 'to all on the number' });
  takeBack(step, person);
}

function takeByLink(step: Step, { place, meaning }: RunEvent & { kind: 'answered' }): void {
  const person = step.people[place];
  if (person === undefined) return;
  step.note('reply', { people: [place], meaning, why: 'by the link of a mail' });
  takeAnswer(step, person, meaning);
}

function takeAnswer(step: Step, person: Person, meaning: Answer['meaning']): void {
  if (step.run.phase === 'ended') tooLate(step, person, meaning);
  else if (meaning === 'yes') accept(step, person);
  else if (meaning === 'no') decline(step, person);
  else if (meaning === 'query') step.reply(person, standingOf(person));
  else if (person.state !== 'yes' && person.state !== 'no' && !person.helped) {
    step.change(person, { helped: true });
    step.reply(person, 'helpText');
  }
}

/** Once: what comes again and again may be a machine. */
function tooLate(step: Step, person: Person, meaning: string): void {
  if (meaning !== 'yes' || person.late) return;
  step.change(person, { late: true });
  const isCountedOn = person.task !== null && step.run.outcome !== 'CANCELED';
  step.reply(person, isCountedOn ? 'assignedText' : 'lateText');
}

function standingOf({ state, task, reserve }: Person) {
  if (task !== null) return 'heldStanding';
  if (reserve !== null) return 'reserveStanding';
  return state === 'yes' || state === 'no' ? 'doneStanding' : 'openStanding';
}

/** People who never got the question may be asked another time; the others hear that nobody more is needed. */
function takeWithdrawn(step: Step, { asked, withdrawn }: RunEvent & { kind: 'withdrawn' }): void {
  const never = new Set(withdrawn);
  const { phase } = step.run;
  const told: number[] = [];
  for (const place of asked) {
    const person = step.people[place];
    if (person === undefined || !isSilent(person)) continue;
    if (never.has(place)) step.change(person, { state: 'waiting', askedAt: null });
    else if (phase === 'finished' || phase === 'ended') {
      step.change(person, { unneeded: true });
      step.say(person, step.run.outcome === 'CANCELED' ? 'canceledText' : 'unneededText');
      told.push(place);
    }
  }
  if (withdrawn.length > 0) step.note('withdraw', { people: withdrawn });
  if (told.length > 0)
    step.note('tell', {
      people: told,
      why: step.run.outcome === 'CANCELED' ? 'it is called off' : 'nobody more is needed',
    });
}

function takeAct(step: Step, act: Act, by: string): void {
  const { run } = step;
  if (act.kind === 'cancel' && run.phase !== 'ended') {
    cancel(step, by);
    return;
  }
  const isRunning = run.phase === 'open' || run.phase === 'finished';
  const why = act.kind === 'extend' ? `extend by ${act.minutes} minutes` : act.kind;
  const person = 'phone' in act ? step.find(act.phone) : undefined;
  const comment = 'comment' in act && act.comment !== undefined ? { text: act.comment } : {};
  const details = { by, ...(person && { people: [person.place] }), ...comment };
  step.note('act', { ...details, why: isRunning ? why : `${why}: not done, since the run is ${run.phase}` });
  if (!isRunning) return;
  // What was held back is tried at once.
  if (act.kind === 'escalate') run.heldUntil = undefined;
  else if (act.kind === 'extend') run.expiryAt = minutesAfter(run.expiryAt as number, act.minutes);
  else if (act.kind === 'tell') {
    const to = step.people.filter((one) => isAddressed(one, act.to));
    for (const one of to) step.tell(one, act.text);
    step.note('tell', { by, people: to.map(({ place }) => place), text: act.text });
  } else if (person !== undefined && act.kind === 'accept') accept(step, person, by);
  else if (person !== undefined && act.kind === 'decline') decline(step, person, by);
}

function isAddressed(person: Person, to: (Act & { kind: 'tell' })['to']): boolean {
  if (to === 'assigned') return person.task !== null;
  if (to === 'silent') return isSilent(person);
  return person.state !== 'waiting' && person.state !== 'unreachable';
}

/** Nobody is left in the belief that he is waited for. */
function cancel(step: Step, by: string): void {
  const held = step.people.filter(({ task, reserve }) => task !== null || reserve !== null);
  for (const person of held) step.say(person, 'canceledText');
  step.run.outcome = 'CANCELED';
  step.run.phase = 'ended';
  step.note('finish', { by, outcome: 'CANCELED' });
  withdrawSilent(step);
}

/** After each event, so that a place that is freed goes to the first reserve before anybody else answers. */
function settle(step: Step): void {
  const { run } = step;
  if (run.phase !== 'open' && run.phase !== 'finished') return;
  promote(step);
  if (step.isGoalReached()) {
    if (run.outcome !== 'GOAL_REACHED') finish(step, 'GOAL_REACHED');
  } else if (run.outcome === 'GOAL_REACHED' || (run.phase === 'finished' && !isNobodyLeft(step))) {
    run.phase = 'open';
    run.outcome = null;
    step.note('reopen');
    for (const person of step.people)
      if (person.state === 'asked' && person.unneeded)
        step.change(person, { state: 'waiting', unneeded: false });
  }
}

function finish(step: Step, outcome: Outcome): void {
  step.run.phase = 'finished';
  step.run.outcome = outcome;
  step.note('finish', { outcome });
  if (outcome === 'GOAL_REACHED' && step.run.settings.tellUnneeded) withdrawSilent(step);
}

function withdrawSilent(step: Step): void {
  step.withdraw = step.people.filter(isSilent).map(({ place }) => place);
}

function passTime(step: Step, isPushed: boolean): void {
  const { run, now } = step;
  const { warningMinutes } = run.settings;
  if (warningMinutes !== undefined && !run.warned && now >= minutesAfter(run.startAt, warningMinutes)) {
    run.warned = true;
    step.note('warning', { why: `${warningMinutes} minutes have gone by` });
  }
  openAndAsk(step, isPushed);
  // A reserve may have had the last place of a level that was opened.
  settle(step);
  if (run.phase !== 'open') return;
  if (isNobodyLeft(step)) finish(step, 'ALL_ANSWERED');
  else remindSilent(step);
}

function endWhenOver(step: Step, now: number): void {
  const { run } = step;
  const isRunning = run.phase === 'open' || run.phase === 'finished';
  if (!isRunning || now < (run.expiryAt as number)) return;
  if (run.phase === 'open') {
    run.outcome = 'EXPIRED';
    step.note('finish', { outcome: 'EXPIRED' });
  } else step.note('end');
  run.phase = 'ended';
}

/** For no place that is free anybody may still answer, nor is anybody left to ask. */
function isNobodyLeft(step: Step): boolean {
  const open = new Set(step.run.tasks.flatMap((_, place) => (step.free(place) > 0 ? [place] : [])));
  return !step.people.some(
    (person) =>
      (person.state === 'waiting' || isSilent(person)) && person.candidacies.some(([task]) => open.has(task)),
  );
}

function remindSilent(step: Step): void {
  const { run, now, people } = step;
  const { reminderMinutes } = run.settings;
  if (reminderMinutes === undefined) return;
  const reminded = people.filter(
    (person) =>
      isSilent(person) &&
      !person.reminded &&
      now >= minutesAfter(person.askedAt as number, reminderMinutes) &&
      isNeeded(person, run.tasks, (task) => step.free(task)) &&
      step.remind(person),
  );
  if (reminded.length > 0) step.note('remind', { people: reminded.map(({ place }) => place) });
}
