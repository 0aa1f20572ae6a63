/** Stores and counts what a carrier reports of its own accord: receipts, and SMS from phones. */
import type { CarrierEvents } from '../../carriers/carrier.ts';
import type { CarrierRecord } from '../../carriers/provisioned/carrier-record.ts';
import type { Context } from '../../storage/context.ts';
import { type IncomingServices, receive } from '../incoming/incoming.ts';
import type { Observer } from '../observer.ts';
import { takeReceipts, takeUnreadableReceipt } from '../receipts/take-receipts.ts';

export interface ReportServices extends Context {
  readonly receiving: IncomingServices;
  readonly observer: Pick<Observer, 'receipts' | 'unreadableReceipt' | 'incoming'>;
}

export function storingReports(
  services: ReportServices,
  carrier: Pick<CarrierRecord, 'id' | 'name'>,
): Omit<CarrierEvents, 'outcome'> {
  const { receiving, observer } = services;
  return {
    receipts: (receipts) => takeReceipts(services, carrier, receipts),
    unreadableReceipt: (receipt) => takeUnreadableReceipt(services, carrier, receipt),
    async incoming(sms) {
      const stored = await receive(receiving, carrier.id, sms);
      if (!stored.awaitsParts) observer.incoming(carrier.name, stored.routed);
      return stored;
    },
  };
}
