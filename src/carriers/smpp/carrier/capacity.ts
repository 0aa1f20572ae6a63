/** How much an SMPP carrier takes in advance, according to its settings. */
import type { Carrier } from '../../carrier.ts';
import type { SmppSettings } from '../settings.ts';

/** A carrier with a throughput limit takes no more in advance than it sends in this time. */
const aheadMs = 1_000;

export type SmppCapacity = Required<Pick<Carrier, 'window' | 'takesWhole'>> & Pick<Carrier, 'smsWindow'>;

/**
 * A part waits behind everything that was handed over before it, including bulk, so a carrier with a throughput limit takes
 * only as much in advance as it needs to send without a pause.
 */
export function smppCapacity({ binds, window, throughput, concatenation }: SmppSettings): SmppCapacity {
  const takesWhole = concatenation === 'payload';
  const most = binds * window;
  if (throughput === 0) return { window: most, takesWhole };
  const sentAhead = Math.max(1, Math.ceil((throughput * aheadMs) / 1_000));
  return { window: Math.min(most, sentAhead), takesWhole, ...(takesWhole && { smsWindow: sentAhead }) };
}
