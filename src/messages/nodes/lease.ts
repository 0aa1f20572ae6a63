/** Renews the node's lease several times a minute; a node that fails to do so in time stops claiming messages. */
import { SharedLease } from '../../foundation/shared-lease.ts';
import { WokenLoop } from '../../foundation/woken-loop.ts';
import type { Context } from '../../storage/context.ts';
import { announceToOperators } from '../../storage/hints.ts';
import { type AboutNode, beatNode, enterNode, leaveNode } from './store.ts';

/**
 * After this long without a heartbeat, the others declare a node dead; with the sweep that follows, everything is taken
 * over within 30 s.
 */
export const leaseMs = 15_000;
const renewEveryMs = 4_000;
/** A lease that ended because the clock was set or the machine slept is renewed within this time. */
const lookEveryMs = 100;
/** Claims and submissions stop this long before the lease ends, so that the last of them are answered before its end. */
const marginMs = 3_000;

interface Options extends Context {
  readonly nodeId: number;
  readonly about?: AboutNode | undefined;
  /** Called when the lease is lost, and when it is held again. */
  readonly changed: (held: boolean) => void;
  /** Called when another node has declared this one dead: its id must not be used again. */
  readonly lost: () => void;
  /**
   * Called when a newer version has migrated the store to this version of the schema: this process must not use the store any
   * more.
   */
  readonly outdated: (version: number) => void;
}

export class NodeLease {
  readonly #options: Options;
  /** Shared with the sending threads. */
  readonly shared = new SharedLease();
  readonly #renewal: WokenLoop;
  /** When the latest renewal began, by the stopwatch, and whether it failed or found the node declared dead. */
  #renewedAt = 0;
  #hasFailed = false;
  #stopped = false;

  constructor(options: Options) {
    this.#options = options;
    // A failed renewal does not end the lease, which continues for a while and may be saved by the next renewal.
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
    const { store, nodeId, clock, about, outdated } = this.#options;
    const startedAt = this.shared.now();
    await store.write(enterNode, { nodeId, now: clock.now(), about });
    // The store may have been migrated since it was opened.
    const beat = await store.write(beatNode, nodeId);
    if (beat.kind === 'outdated') return outdated(beat.version);
    this.shared.hold(startedAt, leaseMs - marginMs);
    this.#renewedAt = startedAt.elapsed;
    this.#renewal.start();
    announceToOperators(store, 'nodes');
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
