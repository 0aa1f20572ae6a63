/**
 * SMS from phones to clients: parses what the operator types while the test SMSC runs, and builds the deliver_sm PDUs of the
 * parts.
 */
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

/** `reference` differs for each message to the same number, from 0 to 255. */
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

/** Each line that the operator types is one command. */
type OperatorLine =
  | { readonly act: 'incoming'; readonly sms: PhoneSms }
  | { readonly act: 'drop' | 'help' | 'nothing' }
  | { readonly act: 'wrong'; readonly sentence: string };

export const operatorHelp = `FROM TO TEXT   a phone sends an SMS: 46701740699 46701740605 Hello
drop           breaks all connections`;

/** The address lengths that source_addr and destination_addr of a deliver_sm can hold (SMPP 3.4 4.6.1). */
const addressForm = /^(\+?\d{2,20}|[\x21-\x7e]{1,11})$/;

export function readOperatorLine(line: string): OperatorLine {
  const trimmed = line.trim();
  if (trimmed === '') return { act: 'nothing' };
  if (trimmed === 'drop' || trimmed === 'help') return { act: trimmed };
  const [, from = '', to = '', text = ''] = /^(\S+)\s+(\S+)\s+(\S.*)$/.exec(trimmed) ?? [];
  if (text === '') return wrong(`Not understood. You can type:\n${operatorHelp}`);
  if (!addressForm.test(from))
    return wrong(`${from} cannot be a sender. Give a number, or a name of up to 11 letters.`);
  if (!/^\+?\d{2,20}$/.test(to))
    return wrong(`${to} cannot be a recipient. Give the number that the SMS is sent to.`);
  return { act: 'incoming', sms: { from: from.replace(/^\+/, ''), to: to.replace(/^\+/, ''), text } };
}

function wrong(sentence: string): OperatorLine {
  return { act: 'wrong', sentence };
}
