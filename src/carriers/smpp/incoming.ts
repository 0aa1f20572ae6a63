/** An SMS from a phone, as the SMSC hands it over in a deliver_sm or a data_sm. */
import { decodeGsm7 } from '../../wire/sms/gsm7.ts';
import { decodeUcs2 } from '../../wire/sms/ucs2.ts';
import type { IncomingSms } from '../carrier.ts';
import type { Delivery } from './session.ts';
import type { SmppSettings } from './settings.ts';

export function toIncomingSms(pdu: Delivery, settings: SmppSettings): IncomingSms {
  void settings;
  const octets = pdu.tlvs.messagePayload ?? ('shortMessage' in pdu ? pdu.shortMessage : Buffer.alloc(0));
  return {
    sender: pdu.sourceAddr,
    recipient: pdu.destinationAddr,
    text: pdu.dataCoding === 8 ? decodeUcs2(octets) : decodeGsm7(octets),
  };
}
