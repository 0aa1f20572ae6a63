/** An SMS from a phone, as the deliver_sm of its parts. */

import { quotedPrintable } from '../foundation/terminal.ts';
import { defaultAddressForms, recipientAddress, senderAddress } from '../wire/smpp/address.ts';
import { encodePart } from '../wire/smpp/short-message.ts';
import { segment } from '../wire/sms/segments.ts';
import type { ServerSettings } from './behaviour.ts';
import type { QueuedDelivery } from './session.ts';

export interface PhoneSms {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** `reference`: another for each message to the same number, from 0 to 255. */
export function incomingDeliveries(
  { from, to, text }: PhoneSms,
  systemId: string | undefined,
  reference: number,
  { alphabet, concatenation }: Pick<ServerSettings, 'alphabet' | 'concatenation'>,
): readonly QueuedDelivery[] {
  const forms = { ...defaultAddressForms, alphabet };
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
      describe: () => `${from} to ${to}: ${quotedPrintable(part)}${which}`,
      tries: 0,
    };
  });
}
