/** A carrier that is open at this node, with its dispatch. */
import type { Carrier } from '../../carriers/carrier.ts';
import type { CarrierRecord } from '../../carriers/provisioned/carrier-record.ts';
import type { Dispatch } from '../dispatch/dispatch.ts';
import type { ReportedCarrier } from '../nodes/reported-carrier.ts';

export interface OpenCarrier {
  readonly record: CarrierRecord;
  readonly carrier: Carrier;
  readonly dispatch: Dispatch;
  readonly reported: ReportedCarrier;
  /** Whether it has adopted the receipts that its predecessor still waited for. */
  hasAdopted: boolean;
}

/** Without `storingMs`, it waits for the store as long as that takes. */
export async function closeLine(
  { carrier, dispatch }: OpenCarrier,
  answersMs: () => number,
  storingMs: number | undefined,
): Promise<void> {
  await dispatch.stopClaiming();
  await carrier.stop(answersMs());
  const timer = storingMs === undefined ? undefined : setTimeout(() => dispatch.giveUp(), storingMs);
  await dispatch.idle();
  clearTimeout(timer);
}
