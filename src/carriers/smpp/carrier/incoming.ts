/** An SMS from a phone, as the SMSC hands it over in a deliver_sm or a data_sm. */
import { readAddress } from '../../../wire/smpp/address.ts';
import { readContent } from '../../../wire/smpp/short-message.ts';
import type { IncomingSms } from '../../carrier.ts';
import type { Delivery } from '../link/options.ts';
import type { SmppSettings } from '../settings.ts';

export function toIncomingSms(pdu: Delivery, { alphabet }: Pick<SmppSettings, 'alphabet'>): IncomingSms {
  return {
    sender: readAddress(pdu.sourceAddrTon, pdu.sourceAddr, alphabet),
    recipient: pdu.destinationAddr,
    ...readContent(pdu, alphabet),
  };
}
