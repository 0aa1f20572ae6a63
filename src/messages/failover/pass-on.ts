/** What one carrier will not have goes to the next of the message's routes, as long as one is left that has not refused it. */
import { type Clock, timeIn } from '../../foundation/clock.ts';
import type { RoutingTable } from '../../routing/routing-table.ts';
import type { Store } from '../../storage/store.ts';
import { stage, status } from '../message.ts';
import type { Advance } from '../outcome.ts';
import { passMessageOn, readRefused } from './pass-on-store.ts';

interface Options {
  readonly store: Store;
  readonly clock: Clock;
  readonly routes: () => RoutingTable;
  /** Something waits in a carrier's line. */
  readonly wake: (carrierId: number) => void;
}

/** Where the refused claim was made. */
export interface RefusedAt {
  readonly nodeId: number;
  readonly carrierId: number;
}

/** Undefined: it waits for another carrier now. Else where it goes instead, such as to the end that it came with. */
export type PassOn = (end: Advance, at: RefusedAt) => Promise<Advance | undefined>;

/** When the store could not be asked: it comes back to this carrier, which will refuse it again. */
const askAgainMs = 1_000;

export function passingOn({ store, clock, routes, wake }: Options): PassOn {
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
  // If it was passed on after all, the retry finds that its claim is over, and changes nothing.
  return (end, at) =>
    pass(end, at).catch(() => ({
      ...end,
      status: status.QUEUED,
      stage: stage.retrying,
      dueAt: timeIn(clock, askAgainMs),
    }));
}
