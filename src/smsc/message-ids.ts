/** Draws the ids of messages, in the form for the answer to a submission and in that for its receipt. */
import type { Behaviour } from './behaviour.ts';

export interface MessageIds {
  readonly answered: string;
  readonly receipted: string;
}

type MessageIdForm = Behaviour['messageId'];

const write: Readonly<Record<MessageIdForm, (number: number) => MessageIds>> = {
  decimal: (number) => both(String(number)),
  hex: (number) => both(hex(number)),
  hexToDecimal: (number) => ({ answered: hex(number), receipted: String(number) }),
  decimalToHex: (number) => ({ answered: String(number), receipted: hex(number) }),
  text: (number) => both(`sms-${number.toString(36)}`),
};

/** Beginning with the time, a million to the second, so that an SMSC that is started again gives no id twice. */
export function messageIdsFrom(form: MessageIdForm, now: number): () => MessageIds {
  let last = Math.floor(now / 1_000) * 1_000_000;
  return () => write[form](++last);
}

function both(id: string): MessageIds {
  return { answered: id, receipted: id };
}

function hex(number: number): string {
  return number.toString(16).toUpperCase();
}
