/**
 * The fault trial: faults of links, each on its own line, and faults of the store and the nodes affect messages before,
 * during and after them; then time passes, and the books are checked.
 *
 *   well ──messages──▶ fault ──messages──▶ well again ──messages──▶ all on their way ──▶ time passes ──▶ verdict
 */
import { setTimeout as delay } from 'node:timers/promises';
import { seeded } from '../crash/random.ts';
import type { WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import type { EngineName } from '../harness/engines.ts';
import type { FaultyPeer, Happening } from './faulty-peer.ts';
import { FaultyService } from './faulty-service.ts';
import { FaultySmsc, type Misbehaviour } from './faulty-smsc.ts';
import { Line } from './line.ts';
import type { LinkFault, SmppFault } from './link-fault.ts';
import { openSite, type Site } from './site.ts';
import type { SiteFault } from './site-faults.ts';
import { hasSettled, judge, readMessages, type StoredMessage, type Verdict } from './verdict.ts';

export interface TrialOptions {
  readonly engine: EngineName;
  readonly linkFaults: readonly LinkFault[];
  /** Site faults run after the link faults, one after the other. */
  readonly siteFaults: readonly SiteFault[];
  /** Messages per line. */
  readonly messages: number;
  readonly seed: number;
  /** How many link faults run side by side; with 1, the trial shows what each of them costs. */
  readonly atATime: number;
  readonly onProgress?: (progress: string) => void;
}

export interface FaultReport extends Verdict {
  readonly name: string;
  /**
   * Why the trial failed: the fault did not happen, did not have its expected end, or the link was not in use again.
   * Absent on success.
   */
  readonly failure?: string;
  /**
   * Milliseconds from the end of the fault until a message sent after it was accepted; undefined if there was no such
   * message or the fault never ends.
   */
  readonly wellAfterMs: number | undefined;
  /** Growth of the server's memory, in MiB. */
  readonly grewMiB: number;
}

export interface TrialReport {
  readonly faults: readonly FaultReport[];
  readonly maxMiB: number;
  readonly exitCode: number | null;
  /** The last part of the server's output. */
  readonly output: string;
}

/** A fault on its line and what was observed. */
interface Course extends Pick<LinkFault, 'name' | 'ends'> {
  readonly isForGood: boolean;
  readonly line: Line;
  readonly strike: (site: Site) => Promise<void>;
  failure?: string;
  wellAfterMs?: number;
  grewMiB?: number;
}

/** The SMSC responds so slowly that it has some submissions at any moment. */
const slow: Misbehaviour = {
  submit: (smsc, session, pdu) => smsc.take(session, pdu, undefined, undefined, 100),
};
/** How often a permanent fault must occur. */
const enough = 5;
const happensWithinMs = 60_000;
/** The longest time in which no further message ends; how long all of them take depends on the machine. */
const endsWithinMs = 60_000;
const hourMs = 60 * 60 * 1_000;
/** Longer than any pause before a message is tried again, and far shorter than the validity of any message. */
const untilNextTryMs = 2 * hourMs;
/** Longer than the validity of any message and the wait for its receipt. */
const untilExpiredMs = 26 * hourMs;
const lookEveryMs = 250;

export async function faultTrial(options: TrialOptions): Promise<TrialReport> {
  const lines: Line[] = [];
  const lineTo = <Peer extends FaultyPeer>(peer: Peer, settings?: LinkFault['settings']) => {
    const number = lines.length + 1;
    lines.push(new Line(number, peer, seeded(options.seed + 1_000 * number), settings));
    return { line: lines.at(-1) as Line, peer };
  };
  let site: Site | undefined;
  try {
    const ofLinks: Course[] = [];
    for (const fault of options.linkFaults) {
      const { settings, happens } = fault;
      if ('over' in fault) {
        const { line, peer } = lineTo(await FaultyService.listen(), settings);
        ofLinks.push(courseOfLink(fault, line, () => strike(peer, fault.happens)));
      } else {
        const { line, peer } = lineTo(await FaultySmsc.listen(), settings);
        ofLinks.push(courseOfLink(fault, line, () => strike(peer, happens as SmppFault['happens'])));
      }
    }
    const ofSite: Course[] = [];
    for (const fault of options.siteFaults) {
      const { line, peer } = lineTo(await FaultySmsc.listen());
      ofSite.push(courseOfSite(fault, line, peer));
    }
    site = await openSite(options.engine, lines);
    const [{ baseUrl }] = site.apps as readonly [WholeApp];
    for (const { peer } of lines) if (peer instanceof FaultyService) peer.calls = baseUrl;
    return await new Trial(options, site).run(ofLinks, ofSite);
  } finally {
    await site?.close();
    for (const { peer } of lines) await peer.close();
  }
}

async function strike<Does, Peer extends FaultyPeer & { misbehave(does: Does, times: number): void }>(
  peer: Peer,
  happens: Happening<Peer, Does>,
): Promise<void> {
  if ('course' in happens) return happens.course(peer);
  peer.misbehave(happens.does, happens.times);
  const isOver = () =>
    happens.times === Number.POSITIVE_INFINITY ? peer.strikes >= enough : peer.wellSince !== undefined;
  await until(isOver, happensWithinMs);
}

function courseOfLink({ name, ends, happens }: LinkFault, line: Line, strike: Course['strike']): Course {
  const isForGood = 'times' in happens && happens.times === Number.POSITIVE_INFINITY;
  return { name, ...(ends && { ends }), isForGood, line, strike };
}

function courseOfSite({ name, strike }: SiteFault, line: Line, smsc: FaultySmsc): Course {
  return {
    name,
    isForGood: false,
    line,
    strike(site) {
      smsc.misbehave(slow, Number.POSITIVE_INFINITY);
      return strike(site, line, smsc);
    },
  };
}

/** If the peer never recovers, most messages end only by expiry. */
function endsByExpiry({ isForGood, ends }: Course): boolean {
  return isForGood && ends?.includes('EXPIRED') === true;
}

class Trial {
  readonly #options: TrialOptions;
  readonly #site: Site;
  /**
   * The latest query. Lines that ask soon after it share it, to spare this process, which also runs the SMSCs of the lines.
   */
  #looked: { readonly at: number; readonly messages: Promise<readonly StoredMessage[]> } | undefined;
  #maxMiB = 0;

  constructor(options: TrialOptions, site: Site) {
    this.#options = options;
    this.#site = site;
  }

  async run(ofLinks: readonly Course[], ofSite: readonly Course[]): Promise<TrialReport> {
    const { atATime } = this.#options;
    for (let from = 0; from < ofLinks.length; from += atATime)
      await Promise.all(ofLinks.slice(from, from + atATime).map((course) => this.#meet(course)));
    for (const course of ofSite) await this.#meet(course);
    const all = [...ofLinks, ...ofSite];
    await this.#passTime(all);
    return this.#report(all);
  }

  async #meet(course: Course): Promise<void> {
    const { line, name, strike, isForGood } = course;
    const quarter = Math.ceil(this.#options.messages / 4);
    const { clients } = this.#site;
    const before = this.#site.memory();
    await line.send(clients, quarter);
    const load = line.send(clients, 2 * quarter);
    try {
      await strike(this.#site);
    } catch (error) {
      course.failure = `it did not come about: ${(error as Error).message}`;
    }
    if (!isForGood) line.peer.getWell();
    const wellSince = performance.now();
    const first = (await line.send(clients, quarter))[0]?.to;
    await load;
    const isTaken = () => first !== undefined && line.peer.taken(first, 1) !== undefined;
    if (!endsByExpiry(course)) await this.#settle([course]);
    if (!isForGood && isTaken())
      course.wellAfterMs = (line.peer.taken(first as string, 1)?.at ?? 0) - wellSince;
    course.grewMiB = this.#site.memory() - before;
    const well =
      course.wellAfterMs === undefined ? 'not in use again' : `after ${course.wellAfterMs.toFixed(0)} ms`;
    this.#options.onProgress?.(`${name}: ${well}`);
  }

  /** Waits until all messages are final except those that only expire; the verdict reports any that are left. */
  async #settle(courses: readonly Course[], isTimeOver = false): Promise<void> {
    let deadline = performance.now() + endsWithinMs;
    let ended = 0;
    for (;;) {
      this.#maxMiB = Math.max(this.#maxMiB, this.#site.memory());
      const messages = await this.#read();
      const before = ended;
      ended = messages.filter(({ stage }) => stage === null).length;
      if (ended > before) deadline = performance.now() + endsWithinMs;
      const isSettled = ({ line, ends }: Course) => hasSettled(line, messages, isTimeOver ? undefined : ends);
      if (courses.every(isSettled) || performance.now() > deadline) return;
      await delay(lookEveryMs);
    }
  }

  /** On a slow machine, a message may have been tried so often that its next try is far off. */
  async #passTime(courses: readonly Course[]): Promise<void> {
    this.#site.setClock(untilNextTryMs);
    await this.#settle(courses.filter((course) => !endsByExpiry(course)));
    this.#site.setClock(untilExpiredMs);
    await this.#settle(courses, true);
  }

  #read(): Promise<readonly StoredMessage[]> {
    const now = performance.now();
    if (this.#looked === undefined || now - this.#looked.at > lookEveryMs)
      this.#looked = { at: now, messages: readMessages(this.#site.apps[0] as WholeApp) };
    return this.#looked.messages;
  }

  async #report(courses: readonly Course[]): Promise<TrialReport> {
    const [first] = this.#site.apps as readonly [WholeApp];
    const messages = await readMessages(first);
    const faults = courses.map((course): FaultReport => {
      const { name, ends, isForGood, line, wellAfterMs, grewMiB = 0 } = course;
      const verdict = judge(line, messages, ends);
      const [end] = ends ?? [];
      const lacks = end !== undefined && !verdict.endedAs.has(end);
      const isLeft = wellAfterMs === undefined && !isForGood;
      const failure =
        course.failure ??
        (lacks ? `no message ended as ${end}` : isLeft ? 'it was not taken up again' : undefined);
      return { name, ...(failure && { failure }), ...verdict, wellAfterMs, grewMiB };
    });
    const exitCode = await first.stop();
    const output = `${first.stdout.slice(-3_000)}${first.stderr.slice(-6_000)}`;
    return { faults, maxMiB: this.#maxMiB, exitCode, output };
  }
}
