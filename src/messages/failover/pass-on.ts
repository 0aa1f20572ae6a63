/** Passes a message that its carrier refused to the next carrier of its routes, while one is left that has not refused it. */
import { type Clock, timeIn } from '../../foundation/clock.ts';
import type { RoutingTable } from '../../routing/routing-table.ts';
import type { Store } from '../../storage/store.ts';
import { stage, status } from '../message.ts';
import type { Advance } from '../outcome.ts';
import { passMessageOn, readRefused } from './pass-on-store.ts';

interface PassOnOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly routes: () => RoutingTable;
  /** Called when messages wait for a carrier. */
  readonly wake: (carrierId: number) => void;
}

/** The claim that was refused. */
export interface RefusedClaim {
  readonly nodeId: number;
  readonly carrierId: number;
}

/** Undefined when it waits for another carrier now; otherwise its advance, such as the final status that it came with. */
export type PassOn = (end: Advance, at: RefusedClaim) => Promise<Advance | undefined>;

/** The pause after the store could not be reached; then this carrier gets the message again, and refuses it again. */
const askAgainMs = 1_000;

export function passingOn({ store, clock, routes, wake }: PassOnOptions): PassOn {
  const pass: PassOn = async (end, { nodeId, carrierId }) => {
    const { companyId, id, attempts } = end;
    const refused = await store.read(readRefused, { companyId, id });
    if (refused === null || !refused.isWhole) return end;
    const refusedBy = new Set([...refused.refusedBy, carrierId]);
    const toCarrierId = routes().carrierAfter(refusedBy, refused.recipient, refused);
    if (toCarrierId === undefined) return end;
    const reason = end.reason ?? '';
    await store.write(passMessageOn, {
      companyId,
      id,
      nodeId,
      attempts,
      reason,
      toCarrierId,
      fromCarrierId: carrierId,
      now: clock.now(),
    });
    wake(toCarrierId);
    return undefined;
  };
  // If it was passed on after all, the retry finds that its claim has ended, and changes nothing.
  return (end, at) =>
    pass(end, at).catch(() => ({
      ...end,
      status: status.QUEUED,
      stage: stage.retrying,
      dueAt: timeIn(clock, askAgainMs),
    }));
}
