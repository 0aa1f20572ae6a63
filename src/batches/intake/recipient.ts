/** A recipient of a batch as the caller gave it, and how the two forms of batches hand over long lists of them. */
import { standardMaxLength } from '../../http/parameters/bounds.ts';
import type { Faults } from '../../http/parameters/faults.ts';
import { text } from '../../http/parameters/kinds.ts';
import { textList } from '../../http/parameters/lists.ts';
import { boundsOfMessage } from '../../messages/sending/parameters.ts';
import { maxLabels, maxTextLength } from '../../wire/sms/substitution.ts';

/** Of a batch's conversation and of a recipient's own (API: Limits). */
export const maxConversationLength = 100;

/** Of each field, in both forms of batches. */
export const fieldBounds = {
  t: { max: standardMaxLength },
  m: { max: boundsOfMessage.maxLength, code: boundsOfMessage.codeOfLength },
  i: { max: maxConversationLength },
  s: { max: maxTextLength },
} as const;

/** What an item of `batch` may hold (API: Batch recipient); a line has the same in this order. */
export const recipientFields = {
  t: text({
    required: true,
    maxLength: fieldBounds.t.max,
    description:
      'Phone number, best in international format; plus signs, spaces, hyphens, full stops and parentheses do not matter.',
  }),
  m: text({
    ...boundsOfMessage,
    description:
      'Text for this recipient alone, in place of the common message. It is sent as it is: nothing in it is substituted.',
  }),
  i: text({
    maxLength: fieldBounds.i.max,
    description: 'Conversation id of this recipient; without it that of the batch.',
  }),
  s: textList({
    maxItems: maxLabels,
    maxLength: fieldBounds.s.max,
    description:
      'Texts that take the place of the labels of `holders` in the common message, by position. Those that are missing are empty, those that are too many are ignored.',
  }),
} as const;

export interface GivenRecipient {
  /** The index of an item, counted from 0; the number of a line, counted from 1. */
  readonly place: number;
  readonly t: string;
  readonly m: string | undefined;
  readonly i: string | undefined;
  readonly s: readonly string[] | undefined;
}

/** A list that is too long to be held as a whole: it is read again whenever it is needed. */
export interface RecipientList {
  /**
   * Pauses after each set of recipients, which are read one by one as they are taken, so that faults come in order.
   * Those of their form are added, and who has any is left out. Throws where the list cannot be read at all.
   */
  read(faults: Faults): Generator<Iterable<GivenRecipient>>;
  /** Of a recipient, or of one of its fields, as it is named in faults. */
  nameOf(place: number, field?: keyof typeof recipientFields): string;
  /** What is said of a recipient without a text where there is no common one, behind the name of its text. */
  readonly withoutText: string;
}
