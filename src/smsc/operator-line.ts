/** What the operator of the SMSC for tests may type while it runs: one line, one act. */
import type { PhoneSms } from './incoming-sms.ts';

export type OperatorLine =
  | { readonly act: 'incoming'; readonly sms: PhoneSms }
  | { readonly act: 'drop' | 'help' | 'nothing' }
  | { readonly act: 'wrong'; readonly sentence: string };

export const operatorHelp = `FROM TO TEXT   a phone sends an SMS: 46701740699 46701740605 Hello
drop           breaks all connections`;

/** source_addr and destination_addr of a deliver_sm hold so many characters (SMPP 3.4 4.6.1). */
const addressForm = /^(\+?\d{2,20}|[\x21-\x7e]{1,11})$/;

export function readOperatorLine(line: string): OperatorLine {
  const trimmed = line.trim();
  if (trimmed === '') return { act: 'nothing' };
  if (trimmed === 'drop' || trimmed === 'help') return { act: trimmed };
  const [, from = '', to = '', text = ''] = /^(\S+)\s+(\S+)\s+(\S.*)$/.exec(trimmed) ?? [];
  if (text === '') return wrong(`Not understood. You can type:\n${operatorHelp}`);
  if (!addressForm.test(from))
    return wrong(`${from} cannot send: give a number, or a name of up to 11 letters.`);
  if (!/^\+?\d{2,20}$/.test(to))
    return wrong(`${to} cannot receive: give the number that the SMS is sent to.`);
  return { act: 'incoming', sms: { from: from.replace(/^\+/, ''), to: to.replace(/^\+/, ''), text } };
}

function wrong(sentence: string): OperatorLine {
  return { act: 'wrong', sentence };
}
