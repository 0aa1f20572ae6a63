/** A carrier that is open at this node, with the dispatch that brings it its messages. */
import type { Carrier } from '../../carriers/carrier.ts';
import type { CarrierRecord } from '../../carriers/provisioned/carrier-record.ts';
import type { Dispatch } from '../dispatch/dispatch.ts';
import type { ReportedCarrier } from '../nodes/reported-carrier.ts';

export interface Line {
  readonly record: CarrierRecord;
  readonly carrier: Carrier;
  readonly dispatch: Dispatch;
  readonly reported: ReportedCarrier;
  /** Whether it has heard what the line before it had still to hear of. */
  hasAdopted: boolean;
}

/** Without a time for storing, the end waits for the store however long that takes. */
export async function closeLine(
  { carrier, dispatch }: Line,
  answersMs: () => number,
  storingMs: number | undefined,
): Promise<void> {
  await dispatch.stopClaiming();
  await carrier.stop(answersMs());
  const timer = storingMs === undefined ? undefined : setTimeout(() => dispatch.giveUp(), storingMs);
  await dispatch.idle();
  clearTimeout(timer);
}
