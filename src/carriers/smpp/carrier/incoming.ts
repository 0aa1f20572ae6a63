/** Reads an SMS from a phone out of the deliver_sm or data_sm that brings it. */
import { readAddress } from '../../../wire/smpp/address.ts';
import { readContent } from '../../../wire/smpp/short-message.ts';
import type { IncomingSms } from '../../carrier.ts';
import type { DeliveryPdu } from '../link/options.ts';
import type { SmppSettings } from '../settings.ts';

export function toIncomingSms(pdu: DeliveryPdu, { alphabet }: Pick<SmppSettings, 'alphabet'>): IncomingSms {
  return {
    sender: readAddress(pdu.sourceAddrTon, pdu.sourceAddr, alphabet),
    recipient: pdu.destinationAddr,
    ...readContent(pdu, alphabet),
  };
}
