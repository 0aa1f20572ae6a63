/** How much a carrier takes in advance. */
import type { Carrier } from './carrier.ts';

/** A carrier with a throughput limit takes no more in advance than it sends in this time. */
const aheadMs = 1_000;

export type Capacity = Required<Pick<Carrier, 'window' | 'takesWhole'>> & Pick<Carrier, 'smsWindow'>;

/**
 * A part waits behind everything that was handed over before it, including bulk, so a carrier with a throughput limit takes
 * only as much in advance as it needs to send without a pause.
 */
export function capacityOf({
  window,
  throughput,
  takesWhole,
}: {
  readonly window: number;
  readonly throughput: number;
  readonly takesWhole: boolean;
}): Capacity {
  if (throughput === 0) return { window, takesWhole };
  const sentAhead = Math.max(1, Math.ceil((throughput * aheadMs) / 1_000));
  return { window: Math.min(window, sentAhead), takesWhole, ...(takesWhole && { smsWindow: sentAhead }) };
}
