/** A sender id, as several kinds of provisioned objects have one. */
import { parseSender } from '../../wire/sender-id.ts';
import { text } from '../../yaml/fields.ts';

export const sender = text((written) => {
  const sender = parseSender(written);
  return sender.ok ? { value: sender.value.value } : { wrong: sender.error };
});

/** Of a company, and of a user. */
export const maxSenders = 1_000;
