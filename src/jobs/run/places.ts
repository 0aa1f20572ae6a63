/**
 * Decides who is asked by a run and when, who gets a place, who waits for a place, and what happens to a place that is
 * given back.
 */
import { storedReason } from '../../foundation/sentences.ts';
import { system } from './entry.ts';
import { ask, divideByRoom, holdBack, reply, say } from './outgoing.ts';
import {
  type Details,
  freeIn,
  isGoalReached,
  note,
  noteEach,
  type Progress,
  personAt,
  withPeople,
  withPerson,
  withRun,
  withTask,
} from './progress.ts';
import { isCandidate, isSilent, minutesAfter, type Person, type Task } from './run.ts';
import { obstacleTo } from './unsendable.ts';

/**
 * Opens levels when they are due or too few people can still answer, and asks those whose turn it is. `isPushed`: the owner
 * wants the next level or wave now.
 */
export function openAndAsk(before: Progress, isPushed: boolean): Progress {
  let [progress, push] = [before, isPushed];
  for (;;) {
    const opened = openLevels(progress, push);
    // All due levels are opened before anyone is asked: unreachable people may cause the next level to open, and reserves in
    // it may take the last place.
    const after = opened === progress ? giveUpNext(progress, push) : opened;
    if (after === progress) return askNext(progress, push);
    if (opened !== progress) push = false;
    progress = after;
  }
}

function openLevels(before: Progress, isPushed: boolean): Progress {
  const after = before.run.tasks.reduce((progress, _, place) => openNext(progress, place, isPushed), before);
  return after === before ? before : promote(after);
}

function openNext(before: Progress, place: number, isPushed: boolean): Progress {
  const { run, now } = before;
  const task = run.tasks[place] as Task;
  const next = task.levels[task.opened];
  const free = freeIn(before, place);
  if (next === undefined || free <= 0) return before;
  const isDue = now >= minutesAfter(run.startAt, next.afterMinutes);
  const isEarly = run.settings.openEarly && task.goal !== null && stillOpen(before, place) < free;
  if (!isDue && !isEarly && !isPushed) return before;
  const sentence = isPushed ? 'level_pushed' : isDue ? 'level_due' : 'level_early';
  // Held places stay held: a level raises the goal or leaves it unchanged.
  const goal = task.goal === null ? null : Math.max(task.goal, next.goal ?? 0);
  const after = withTask(before, place, { opened: task.opened + 1, waveAt: null, goal });
  return note(after, 'escalate', { task: place, why: storedReason({ sentence, level: next.name }) });
}

/** Gives up people whose turn it is but who cannot be sent to. */
function giveUpNext(before: Progress, isPushed: boolean): Progress {
  return before.run.tasks.reduce((progress, _, place) => {
    const gone: Person[] = [];
    const notes: Details[] = [];
    for (const person of nextOf(progress, place, isPushed, waitingFor(progress, place))) {
      const why = obstacleTo(person, progress.unsendable);
      if (why === undefined) continue;
      gone.push({ ...person, state: 'unreachable' });
      notes.push({ people: [person.place], why });
    }
    return noteEach(withPeople(progress, gone), 'unreached', notes);
  }, before);
}

function askNext(before: Progress, isPushed: boolean): Progress {
  const { run, now, unsendable } = before;
  const { wave, waveMinutes } = run.settings;
  return run.tasks.reduce((progress, task, place) => {
    // When people are asked for one task, other people may come up in the next task. Those who cannot be sent to are
    // skipped here and given up at the next turn.
    const waiting = waitingFor(progress, place).filter(
      (person) => obstacleTo(person, unsendable) === undefined,
    );
    const next = nextOf(progress, place, isPushed, waiting);
    const isWave = wave !== undefined && task.goal !== null;
    const { fitting, later } = divideByRoom(progress, next);
    const level = { level: task.opened, of: task.levels.length };
    const among = { people: next.length, waiting: waiting.length };
    const why = storedReason(
      isWave ? { sentence: 'asked_wave', ...level, ...among } : { sentence: 'asked_level', ...level },
    );
    const after = ask(holdBack(progress, later), fitting, why);
    return isWave && fitting.length > 0
      ? withTask(after, place, { waveAt: minutesAfter(now, waveMinutes) })
      : after;
  }, before);
}

/** The people waiting for a task whose turn it is to be asked. */
function nextOf(
  progress: Progress,
  place: number,
  isPushed: boolean,
  waiting: readonly Person[],
): readonly Person[] {
  const { wave, openEarly } = progress.run.settings;
  const task = progress.run.tasks[place] as Task;
  const free = freeIn(progress, place);
  if (free <= 0) return [];
  if (wave === undefined || task.goal === null || waiting.length === 0) return waiting;
  const silent = candidates(progress, place).filter(isSilent).length;
  const isTime = task.waveAt === null || progress.now >= task.waveAt;
  if (!isTime && !isPushed && !(openEarly && silent < free)) return [];
  return waiting.slice(0, wave * free);
}

function waitingFor(progress: Progress, place: number): readonly Person[] {
  return candidates(progress, place).filter(({ state }) => state === 'waiting');
}

function candidates({ run, people }: Progress, place: number): readonly Person[] {
  return people.filter((person) => isCandidate(person, place, run.tasks[place] as Task));
}

/** How many people can still answer, whether already asked or about to be. */
function stillOpen(progress: Progress, place: number): number {
  return candidates(progress, place).filter((person) => person.state === 'waiting' || isSilent(person))
    .length;
}

export function accept(before: Progress, place: number, by = system): Progress {
  const person = personAt(before, place);
  if (person.task !== null) return reply(before, place, 'assignedText');
  if (person.reserve !== null) return reply(before, place, 'reserveText');
  const task = freeTaskFor(before, person, by !== system);
  if (task !== undefined) return reply(assign(before, place, task, by), place, 'assignedText');
  const { run, waitlist } = before;
  const turns = person.spare === undefined ? run.turns + 1 : run.turns;
  const turn = person.spare ?? turns;
  const counted = withRun(before, { turns });
  const reserves = waitlist.filter((one) => personAt(before, one).reserve !== null).length;
  if (reserves >= run.settings.reserve)
    return reply(withPerson(counted, place, { state: 'yes', spare: turn }), place, 'filledText');
  const queued = withPerson(counted, place, { state: 'yes', reserve: turn, spare: undefined });
  return reply(note(queued, 'reserve', { people: [place], by }), place, 'reserveText');
}

/** Assigns a free place to a person. */
function assign(before: Progress, place: number, task: number, by: string): Progress {
  if (freeIn(before, task) <= 0) throw new Error('a place was assigned twice');
  const after = withPerson(before, place, { state: 'yes', task, reserve: null, spare: undefined });
  return before.run.settings.generic === 'GMA' ? note(after, 'assign', { people: [place], task, by }) : after;
}

export function decline(before: Progress, place: number, by = system): Progress {
  return reply(takeBack(before, place, by), place, 'declinedText');
}

/** The run no longer counts on the person. */
export function takeBack(before: Progress, place: number, by = system): Progress {
  const { task } = personAt(before, place);
  const after = withPerson(before, place, { state: 'no', task: null, reserve: null, spare: undefined });
  const isReported = task !== null && before.run.settings.generic === 'GMA';
  return isReported ? note(after, 'unassign', { people: [place], task, by }) : after;
}

/** Assigns free places to reserves, in their order, and then to others whose YES came too late. */
export function promote(before: Progress): Progress {
  if (isGoalReached(before)) return before;
  return before.waitlist.reduce((progress, place) => {
    const task = freeTaskFor(progress, personAt(progress, place));
    if (task === undefined) return progress;
    const after = assign(progress, place, task, system);
    return say(after, [personAt(after, place)], 'promotedText');
  }, before);
}

/**
 * The first task with a free place among those that the person was asked for. For the owner, levels that are not open yet
 * count too.
 */
function freeTaskFor(progress: Progress, person: Person, isByOwner = false): number | undefined {
  const place = progress.run.tasks.findIndex((task, at) => {
    const opened = isByOwner ? task.levels.length : task.opened;
    return freeIn(progress, at) > 0 && isCandidate(person, at, { ...task, opened });
  });
  return place === -1 ? undefined : place;
}
