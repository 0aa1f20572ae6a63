/** An SMS from a phone, as the deliver_sm of its parts. */

import { quotedPrintable } from '../foundation/printable.ts';
import { recipientAddress, senderAddress, usualAddressForms } from '../wire/smpp/address.ts';
import { encodePart } from '../wire/smpp/short-message.ts';
import { segment } from '../wire/sms/segments.ts';
import type { Surroundings } from './behaviour.ts';
import type { Delivery } from './session.ts';

export interface IncomingSms {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** `reference`: another for each message to the same number, from 0 to 255. */
export function incomingDeliveries(
  { from, to, text }: IncomingSms,
  systemId: string | undefined,
  reference: number,
  { alphabet, concatenation }: Pick<Surroundings, 'alphabet' | 'concatenation'>,
): readonly Delivery[] {
  const forms = { ...usualAddressForms, alphabet };
  const sender = senderAddress(from, forms);
  const recipient = recipientAddress(to, forms);
  const { encoding, parts } = segment(text);
  return parts.map((part, index) => {
    const place = { part: index + 1, parts: parts.length };
    const content = { text: part, encoding, flash: false, ...place };
    const which = parts.length === 1 ? '' : `, part ${place.part} of ${place.parts}`;
    return {
      event: 'incoming',
      systemId,
      fields: {
        sourceAddrTon: sender.ton,
        sourceAddrNpi: sender.npi,
        sourceAddr: sender.address,
        destAddrTon: recipient.ton,
        destAddrNpi: recipient.npi,
        destinationAddr: recipient.address,
        ...encodePart(content, { alphabet, concatenation }, reference),
      },
      words: () => `${from} to ${to}: ${quotedPrintable(part)}${which}`,
      tries: 0,
    };
  });
}
