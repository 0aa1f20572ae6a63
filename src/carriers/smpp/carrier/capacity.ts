/** How much an SMPP carrier may be handed in advance, by its settings. */
import type { Carrier } from '../../carrier.ts';
import type { SmppSettings } from '../settings.ts';

/** A carrier with a throughput limit takes no more in advance than it sends in this time. */
const aheadMs = 1_000;

export type SmppCapacity = Required<Pick<Carrier, 'window' | 'takesWhole'>> & Pick<Carrier, 'smsWindow'>;

export function smppCapacity(settings: SmppSettings): SmppCapacity {
  const takesWhole = settings.concatenation === 'payload';
  const smsWindow = takesWhole && settings.throughput > 0 ? { smsWindow: sentAhead(settings) } : {};
  return { window: windowOf(settings), takesWhole, ...smsWindow };
}

/**
 * A part waits behind everything that was handed over before it, bulk included. So a carrier with a throughput limit
 * takes only as much in advance as it needs to go on without a pause.
 */
function windowOf({ binds, window, throughput }: SmppSettings): number {
  const most = binds * window;
  return throughput === 0 ? most : Math.min(most, sentAhead({ throughput }));
}

function sentAhead({ throughput }: Pick<SmppSettings, 'throughput'>): number {
  return Math.max(1, Math.ceil((throughput * aheadMs) / 1_000));
}
