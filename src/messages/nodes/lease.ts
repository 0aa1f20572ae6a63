/** Renews the node's lease several times a minute; a node that fails to do so in time stops claiming by itself. */
import { SharedLease } from '../../foundation/shared-lease.ts';
import { WokenLoop } from '../../foundation/woken-loop.ts';
import type { Context } from '../../storage/context.ts';
import { beatNode, enterNode, leaveNode } from './store.ts';

/** After this time without a beat the others declare a node dead; with their sweep, all is taken over within 30 s. */
export const leaseMs = 15_000;
const renewEveryMs = 4_000;
/** A lease that a clock has ended, since it was set or the machine slept, is renewed within this time. */
const lookEveryMs = 100;
/** Claims and submissions stop this long before the lease ends, so that the last ones are answered within it. */
const marginMs = 3_000;

interface Options extends Context {
  readonly nodeId: number;
  /** The lease was lost or is held again. */
  readonly changed: (held: boolean) => void;
  /** Another node declared this one dead: its id must not be used again. */
  readonly lost: () => void;
  /** A newer version has migrated the store, to this version of the schema: this process must not use it any more. */
  readonly outdated: (version: number) => void;
}

export class NodeLease {
  readonly #options: Options;
  /** Shared with the threads that send. */
  readonly shared = new SharedLease();
  readonly #renewal: WokenLoop;
  /** When the latest renewal began, by the stopwatch, and whether it failed or found the node dead. */
  #renewedAt = 0;
  #hasFailed = false;
  #stopped = false;

  constructor(options: Options) {
    this.#options = options;
    // A renewal that failed is no end yet: the lease goes on for a while, and the next renewal may save it.
    const failed = () => {
      this.#hasFailed = true;
      options.changed(this.held);
    };
    this.#renewal = new WokenLoop({ pauseMs: lookEveryMs, failed }, () => this.#look());
  }

  get held(): boolean {
    return this.shared.isHeld;
  }

  async start(): Promise<void> {
    const { store, nodeId, clock, outdated } = this.#options;
    const startedAt = this.shared.now();
    await store.write(enterNode, { nodeId, now: clock.now() });
    // The store may have been migrated since it was opened.
    const beat = await store.write(beatNode, nodeId);
    if (beat.kind === 'outdated') return outdated(beat.version);
    this.shared.hold(startedAt, leaseMs - marginMs);
    this.#renewedAt = startedAt.elapsed;
    this.#renewal.start();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    void this.#renewal.stop();
    await this.#options.store.write(leaveNode, this.#options.nodeId);
  }

  async #look(): Promise<void> {
    const isEnded = !this.held && !this.#hasFailed;
    if (isEnded || this.shared.now().elapsed - this.#renewedAt >= renewEveryMs) await this.#renew();
  }

  async #renew(): Promise<void> {
    const { store, nodeId, changed, lost, outdated } = this.#options;
    const wasHeld = this.held;
    const startedAt = this.shared.now();
    this.#renewedAt = startedAt.elapsed;
    const beat = await store.write(beatNode, nodeId);
    this.#hasFailed = beat.kind !== 'alive';
    if (this.#stopped) return;
    if (beat.kind !== 'alive') {
      this.shared.end();
      if (beat.kind === 'dead') lost();
      else outdated(beat.version);
      return;
    }
    this.shared.hold(startedAt, leaseMs - marginMs);
    if (!wasHeld) changed(true);
  }
}
