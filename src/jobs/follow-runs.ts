/**
 * Advances runs on any number of nodes: it is woken by answers and starts, polls for timers and for work left by other nodes,
 * and reads which questions failed: SMS from the journal of changes, e-mails from the outbox.
 *
 *   wake, poll ──▶ list ──▶ a step of each run that has none in progress ──▶ wake
 *                               └──failed: its run pauses, ever longer; the others go on
 */
import { ChangeReader, changesTopic, readingAlone } from '../changes/change-reader.ts';
import { type Change, changeKind } from '../changes/journal.ts';
import { WokenLoop } from '../foundation/woken-loop.ts';
import { isFinal, status, statusNames } from '../messages/message.ts';
import type { JobSending } from './job-mail.ts';
import { takeMailOutcomes } from './mails-store.ts';
import { proceed } from './proceed.ts';
import { listReadyRuns, putFailures } from './run-store.ts';

interface FollowRunsOptions {
  readonly sending: JobSending;
  readonly log: { warn(details: object, message: string): void };
}

/** The topic that is announced when a run has something to do. */
export const jobsTopic = 'jobs';

const pollMs = 1_000;
const leastPauseMs = 10;
const maxListed = 500;
/** The number of runs processed at a time: runs read together and written together share transactions. */
const parallelRuns = 200;
const maxRunsPerPass = 100;
/** How long the journal is kept for unavailable nodes. */
const patienceMs = 10 * 60_000;
const firstPauseMs = 250;

export class FollowRuns {
  readonly #options: FollowRunsOptions;
  readonly #reader: ChangeReader;
  readonly #mailOutcomes: WokenLoop;
  readonly #steps: WokenLoop;
  readonly #failing = new Map<number, { readonly failures: number; readonly pausedUntil: number }>();
  readonly #underWay = new Set<number>();
  readonly #working = new Set<Promise<void>>();

  constructor(options: FollowRunsOptions) {
    this.#options = options;
    const { store } = options.sending;
    this.#reader = new ChangeReader({
      store,
      log: options.log,
      name: 'jobs',
      ...readingAlone({
        store,
        name: 'jobs',
        patienceMs,
        take: (changes) => this.#takeFailures(changes),
      }),
      dropped: () =>
        options.log.warn(
          {},
          'some receipts of failed job messages were not read: people who missed their message count as silent',
        ),
    });
    const failed = (error: unknown) => options.log.warn({ error }, 'jobs wait for the store');
    // Changes that arrive close together are processed together.
    this.#steps = new WokenLoop({ pauseMs: pollMs, firstMs: 0, leastPauseMs, failed }, () =>
      this.#beginSteps(),
    );
    this.#mailOutcomes = new WokenLoop({ pauseMs: pollMs, failed }, () => this.#takeMailOutcomes());
    store.onAnnouncement((topic) => {
      if (topic === jobsTopic) this.wake();
      if (topic === changesTopic) this.#reader.wake();
    });
  }

  async start(): Promise<void> {
    await this.#reader.start();
    if (this.#options.sending.mail !== undefined) this.#mailOutcomes.start();
    this.#steps.start();
  }

  /** Signals that a run may have something to do. Cheap and called often. */
  wake(): void {
    this.#steps.wake();
  }

  /** Resolves when the current steps have ended. */
  async stop(): Promise<void> {
    await Promise.all([this.#steps.stop(), this.#reader.stop(), this.#mailOutcomes.stop()]);
    await Promise.all(this.#working);
  }

  /**
   * Starts steps of runs that have none in progress, as many as there is room for, so that a slow step delays no other run.
   */
  async #beginSteps(): Promise<void> {
    const { store, clock } = this.#options.sending;
    const listed = await store.read(listReadyRuns, { now: clock.now(), limit: maxListed });
    const isFree = (id: number) =>
      !this.#underWay.has(id) && (this.#failing.get(id)?.pausedUntil ?? 0) <= performance.now();
    const room = Math.min(maxRunsPerPass, parallelRuns - this.#underWay.size);
    const ids = listed.filter(isFree).slice(0, room);
    if (ids.length === 0) return;
    for (const id of ids) this.#underWay.add(id);
    const working = this.#proceed(ids).finally(() => this.#working.delete(working));
    this.#working.add(working);
  }

  async #proceed(ids: readonly number[]): Promise<void> {
    try {
      await proceed(this.#options.sending, ids, (id, error) => this.#ended(id, error));
    } catch (error) {
      for (const id of ids) this.#ended(id, error);
    }
  }

  #ended(id: number, error?: unknown): void {
    this.#underWay.delete(id);
    if (error === undefined) this.#failing.delete(id);
    else {
      const failures = (this.#failing.get(id)?.failures ?? 0) + 1;
      const pausedUntil = performance.now() + firstPauseMs * 2 ** Math.min(failures, 8);
      this.#failing.set(id, { failures, pausedUntil });
      this.#options.log.warn({ run: id, error, failures }, 'a step of a job failed; trying again');
    }
    // Something may have arrived meanwhile, or another run may be waiting for room.
    this.wake();
  }

  async #takeFailures(changes: readonly Change[]): Promise<void> {
    const failed = changes
      .filter(({ kind, status: code }) => kind === changeKind.message && code !== null && hasFailed(code))
      .map(({ companyId, subjectId, status: code, changedAt }) => ({
        companyId,
        messageId: subjectId,
        at: changedAt,
        status: statusNames[code as number] as string,
      }));
    if (failed.length === 0) return;
    if ((await this.#options.sending.store.write(putFailures, failed)) > 0) this.wake();
  }

  /** Outcomes beyond one set wait for the next pass. */
  async #takeMailOutcomes(): Promise<void> {
    const taken = await this.#options.sending.store.write(takeMailOutcomes, { limit: maxListed });
    if (taken > 0) this.wake();
  }
}

/** A message that the run itself withdrew has not failed. */
function hasFailed(code: number): boolean {
  return isFinal(code) && ![status.DELIVERED, status.DELETED, status.CANCELED].includes(code);
}
