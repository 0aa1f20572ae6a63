/** Stores what a carrier reports, and counts it. */
import type { Carrier, CarrierEvents } from '../../carriers/carrier.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Store } from '../../storage/store.ts';
import type { Dispatch } from '../dispatch/dispatch.ts';
import { type IncomingServices, receive } from '../incoming/incoming.ts';
import type { Observer } from '../observer.ts';
import { takeReceipts, takeUnreadableReceipt } from '../receipts/take-receipts.ts';

interface EventServices {
  readonly store: Store;
  readonly clock: Clock;
  readonly receiving: IncomingServices;
  readonly observer: Observer;
}

export function storingEvents(parts: EventServices, carrier: Carrier, dispatch: Dispatch): CarrierEvents {
  const { receiving, observer } = parts;
  return {
    outcome(part, outcome) {
      observer.outcome(carrier.name, outcome.kind);
      dispatch.outcome(part, outcome);
    },
    receipts: (receipts) => takeReceipts(parts, carrier, receipts),
    unreadableReceipt: (receipt) => takeUnreadableReceipt(parts, carrier, receipt),
    async incoming(sms) {
      const stored = await receive(receiving, carrier.id, sms);
      if (!stored.awaitsParts) observer.incoming(carrier.name, stored.routed);
      return stored;
    },
  };
}
