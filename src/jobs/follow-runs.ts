/**
 * Brings runs on, at any number of nodes: it is woken by answers and starts, polls for timers and for what other nodes
 * have left, and reads from the journal of changes which questions failed.
 *
 *   wake, poll ──▶ list ──▶ proceed with each ──▶ list …
 *                               └──failed: its run pauses, ever longer; the others go on
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Change, changeKind } from '../changes/change.ts';
import { ChangeReader, changesTopic, readingAlone } from '../changes/change-reader.ts';
import { isFinal, status, statusNames } from '../messages/message.ts';
import type { Sending } from '../messages/sending/send.ts';
import { proceed } from './proceed.ts';
import { listReadyRuns, putFailures } from './run-store.ts';

export interface FollowRunsOptions {
  readonly sending: Sending;
  readonly log: { warn(details: object, message: string): void };
}

/** Announced when a run has something to do. */
export const jobsTopic = 'jobs';

const pollMs = 1_000;
/** What comes close together is one step. */
const leastPauseMs = 10;
const maxListed = 500;
/** Steps that are under way at a time: they share transactions. */
const parallelRuns = 32;
/** The journal is kept for so long for nodes that are away. */
const patienceMs = 10 * 60_000;
const firstPauseMs = 250;

export class FollowRuns {
  readonly #options: FollowRunsOptions;
  readonly #reader: ChangeReader;
  readonly #failing = new Map<number, { readonly failures: number; readonly pausedUntil: number }>();
  #isWoken = false;
  #isStopped = false;
  #endPause: () => void = () => undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: FollowRunsOptions) {
    this.#options = options;
    const { store } = options.sending;
    this.#reader = new ChangeReader({
      ...{ store, log: options.log, name: 'jobs' },
      ...readingAlone({
        ...{ store, name: 'jobs', patienceMs },
        take: (changes) => this.#takeFailures(changes),
      }),
      dropped: () =>
        options.log.warn({}, 'some failing receipts of jobs were not read: their people count as silent'),
    });
    store.onAnnouncement((topic) => {
      if (topic === jobsTopic) this.wake();
      if (topic === changesTopic) this.#reader.wake();
    });
  }

  async start(): Promise<void> {
    await this.#reader.start();
    this.#running = this.#run();
  }

  /** A run may have something to do. Cheap, and called often. */
  wake(): void {
    this.#isWoken = true;
    this.#endPause();
  }

  /** Resolves when the steps under way have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endPause();
    await Promise.all([this.#running, this.#reader.stop()]);
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.#isWoken = false;
      let made = 0;
      try {
        made = await this.#round();
      } catch (error) {
        this.#options.log.warn({ error }, 'jobs wait for the store');
      }
      await this.#pause(made > 0 || this.#isWoken ? leastPauseMs : pollMs);
    }
  }

  /** A step of each run that has one; answers how many were made. */
  async #round(): Promise<number> {
    const { store, clock } = this.#options.sending;
    const listed = await store.read(listReadyRuns, { now: clock.now(), limit: maxListed });
    const ready = listed.filter((id) => (this.#failing.get(id)?.pausedUntil ?? 0) <= performance.now());
    let next = 0;
    let made = 0;
    const go = async () => {
      for (let id = ready[next++]; id !== undefined && !this.#isStopped; id = ready[next++])
        if (await this.#step(id)) made += 1;
    };
    await Promise.all(Array.from({ length: Math.min(parallelRuns, ready.length) }, go));
    return made;
  }

  async #step(id: number): Promise<boolean> {
    try {
      const isMade = await proceed(this.#options.sending, id);
      this.#failing.delete(id);
      return isMade;
    } catch (error) {
      const failures = (this.#failing.get(id)?.failures ?? 0) + 1;
      const pausedUntil = performance.now() + firstPauseMs * 2 ** Math.min(failures, 8);
      this.#failing.set(id, { failures, pausedUntil });
      this.#options.log.warn({ run: id, error, failures }, 'a step of a job failed; it is tried again');
      return false;
    }
  }

  async #takeFailures(changes: readonly Change[]): Promise<void> {
    const failed = changes
      .filter(({ kind, status: code }) => kind === changeKind.message && code !== null && hasFailed(code))
      .map(({ companyId, subjectId, status: code, changedAt }) => ({
        ...{ companyId, messageId: subjectId, at: changedAt },
        status: statusNames[code as number] as string,
      }));
    if (failed.length === 0) return;
    if ((await this.#options.sending.store.write(putFailures, failed)) > 0) this.wake();
  }

  async #pause(ms: number): Promise<void> {
    if (this.#isStopped) return;
    const abort = new AbortController();
    this.#endPause = () => abort.abort();
    if (this.#isWoken && ms > leastPauseMs) return;
    await delay(ms, undefined, { signal: abort.signal }).catch(() => undefined);
    this.#endPause = () => undefined;
  }
}

/** What was taken back by the run itself has not failed. */
function hasFailed(code: number): boolean {
  return isFinal(code) && ![status.DELIVERED, status.DELETED, status.CANCELED].includes(code);
}
