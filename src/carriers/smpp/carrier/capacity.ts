/** How much an SMPP carrier may be handed ahead, by its settings. */
import type { Carrier } from '../../carrier.ts';
import type { SmppSettings } from '../settings.ts';

/** A carrier with a throughput takes no more ahead than it lets out in this time. */
const aheadMs = 1_000;

export type Reach = Required<Pick<Carrier, 'window' | 'takesWhole'>> & Pick<Carrier, 'smsWindow'>;

export function reachOf(settings: SmppSettings): Reach {
  const takesWhole = settings.concatenation === 'payload';
  const smsWindow = takesWhole && settings.throughput > 0 ? { smsWindow: sentAhead(settings) } : {};
  return { window: windowOf(settings), takesWhole, ...smsWindow };
}

/**
 * What is handed over waits behind all that was handed over before it, be it bulk. So a carrier with a throughput takes
 * little ahead: enough to go on without a pause.
 */
function windowOf({ binds, window, throughput }: SmppSettings): number {
  const most = binds * window;
  return throughput === 0 ? most : Math.min(most, sentAhead({ throughput }));
}

function sentAhead({ throughput }: Pick<SmppSettings, 'throughput'>): number {
  return Math.max(1, Math.ceil((throughput * aheadMs) / 1_000));
}
