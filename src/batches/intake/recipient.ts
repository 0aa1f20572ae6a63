/** A recipient of a batch as given by the caller, and the two formats for long lists of them: JSON, and lines. */

import { isUtf8 } from 'node:buffer';
import { type Fault, fault, type Result, success } from '../../foundation/result.ts';
import type { Sentence } from '../../foundation/sentences.ts';
import type { Body } from '../../http/body/body.ts';
import type { ListSpan } from '../../http/body/json-scan.ts';
import { parsedSlice, slicesOf } from '../../http/body/json-skim.ts';
import { faultOfText, type LengthBounds, standardMaxLength } from '../../http/parameters/bounds.ts';
import type { Faults } from '../../http/parameters/faults.ts';
import { text } from '../../http/parameters/kinds.ts';
import { itemDecoder, textList } from '../../http/parameters/lists.ts';
import { boundsOfMessage, sendParameters } from '../../messages/sending/parameters.ts';
import { decodeComponent } from '../../wire/percent-decoding.ts';
import { maxLabels, maxTextLength } from '../../wire/sms/substitution.ts';

/** The maximum length of the conversation id of a batch or of a single recipient (API: Limits). */
export const maxConversationLength = 100;

/** The same in both formats. */
const fieldBounds = {
  t: { max: standardMaxLength },
  m: { max: boundsOfMessage.maxLength, code: boundsOfMessage.codeOfLength },
  i: { max: maxConversationLength },
  s: { max: maxTextLength },
} as const;

/** The fields of an item of `batch` (API: Batch recipient); a line has the same fields in this order. */
export const recipientFields = {
  t: text({
    required: true,
    maxLength: fieldBounds.t.max,
    description:
      'Phone number, preferably in international format; plus signs, spaces, hyphens, full stops and parentheses are ignored.',
  }),
  m: text({
    ...boundsOfMessage,
    description:
      'Text for this recipient instead of the common message. It is sent as is, without substitution.',
  }),
  i: text({
    maxLength: fieldBounds.i.max,
    description: 'Conversation id of this recipient; default: that of the batch.',
  }),
  s: textList({
    maxItems: maxLabels,
    maxLength: fieldBounds.s.max,
    description:
      'Texts that replace the labels of `holders` in the common message, by position. Missing texts are empty; extra texts are ignored.',
  }),
} as const;

export interface GivenRecipient {
  /** An item's index, counted from 0, or a line's number, counted from 1. */
  readonly place: number;
  readonly t: string;
  readonly m: string | undefined;
  readonly i: string | undefined;
  readonly s: readonly string[] | undefined;
}

/** A list that is too long to be held in memory as a whole, so it is read again whenever it is needed. */
export interface RecipientList {
  /**
   * Pauses after each set of recipients. Recipients are read one by one as they are consumed, so that faults stay in order.
   * Format faults are added, and recipients with a format fault are left out and their places reported. Throws if the list
   * cannot be read at all.
   */
  read(faults: Faults, leaveOut?: (place: number) => void): Generator<Iterable<GivenRecipient>>;
  /** The name of a recipient, or of one of its fields, in faults. */
  nameOf(place: number, field?: keyof typeof recipientFields): string;
  /** The fault of a recipient without a text when there is no common text; it follows the name of the text field. */
  readonly withoutText: Sentence;
}

export const listName = 'batch';

/** The names of these fields in `/send` and in the batch itself. */
const longNames = {
  to: 't',
  message: 'm',
  conversation: 'i',
  batchconversation: 'i',
  subst: 's',
  tosubst: 's',
};

/**
 * Names that an item can't have and that would do harm if ignored: the recipient would get the common text instead of a
 * text of their own, or get it immediately instead of later.
 */
const namesElsewhere = new Map<string, Sentence>([
  ...Object.keys(sendParameters).map((name) => [name, { sentence: 'not_for_one_recipient' }] as const),
  ...Object.entries(longNames).map(
    ([name, near]) => [name, { sentence: 'unknown_name_near', near }] as const,
  ),
]);

const decode = itemDecoder(recipientFields, namesElsewhere);

/** The items of a JSON list, parsed one slice at a time. */
export class JsonRecipients implements RecipientList {
  readonly withoutText = { sentence: 'recipient_without_text' } as const;
  readonly #body: Body;
  readonly #list: ListSpan;

  constructor(body: Body, list: ListSpan) {
    this.#body = body;
    this.#list = list;
  }

  *read(faults: Faults, leaveOut?: (place: number) => void): Generator<Iterable<GivenRecipient>> {
    let place = 0;
    for (const slice of slicesOf(this.#body, this.#list)) {
      if (slice === undefined) continue;
      const items = yield* this.#parse(slice.from, slice.to);
      yield recipientsOf(items, place, faults, leaveOut);
      place += items.length;
    }
  }

  nameOf(place: number, field?: keyof typeof recipientFields): string {
    return field === undefined ? `${listName}[${place}]` : `${listName}[${place}].${field}`;
  }

  *#parse(from: number, to: number): Generator<Iterable<GivenRecipient>, readonly unknown[]> {
    const parsing = parsedSlice(this.#body, from, to);
    for (;;) {
      const step = parsing.next();
      if (step.done) return step.value;
      yield [];
    }
  }
}

function* recipientsOf(
  items: readonly unknown[],
  first: number,
  faults: Faults,
  leaveOut?: (place: number) => void,
): Generator<GivenRecipient, void> {
  let place = first;
  for (const item of items) {
    const faultsBefore = faults.count;
    const given = decode(item, listName, place, faults);
    if (given !== undefined && faults.count === faultsBefore) yield { place, ...given };
    else leaveOut?.(place);
    place += 1;
  }
}

/** About this many bytes are read at a time, and at least one line. */
const sliceBytes = 65_536;

/** Enough for the longest SMS many times over, even with every character escaped. */
export const maxLineBytes = 1_048_576;

/** An empty line, a line of spaces only, or a comment (rule 6). Tabs count as spaces. */
const withoutRecipient = /^[ \t]*(?:#|$)/;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Lines, one per recipient (API: /batchsend/list). */
export class LineRecipients implements RecipientList {
  readonly withoutText = { sentence: 'line_without_text' } as const;
  readonly #body: Body;
  /** Number, message, conversation and one substitution per label; further fields in a line are ignored. */
  readonly #fieldCount: number;

  constructor(body: Body, labels: number) {
    this.#body = body;
    this.#fieldCount = 3 + labels;
  }

  /** A line ends with LF, CR LF or CR alone; the last line needs no ending. */
  *read(faults: Faults, leaveOut?: (place: number) => void): Generator<Iterable<GivenRecipient>> {
    const body = this.#body;
    let place = 0;
    let from = body.textStart();
    while (from < body.length) {
      const to = endOfSlice(body, from);
      if (to - from > sliceBytes + maxLineBytes) {
        const long = place + 1 + linesIn(body.slice(from, from + sliceBytes));
        const said = { sentence: 'line_large', most: maxLineBytes / 1_048_576 } as const;
        faults.add(this.nameOf(long), 'invalid_value', said);
        leaveOut?.(long);
        return;
      }
      const lines = linesOf(body.slice(from, to));
      yield this.#recipientsOf(lines, place + 1, faults, leaveOut);
      place += lines.length;
      from = behindBreak(body, to);
    }
  }

  nameOf(place: number): string {
    return `line ${place}`;
  }

  *#recipientsOf(
    lines: readonly (string | Fault)[],
    first: number,
    faults: Faults,
    leaveOut?: (place: number) => void,
  ): Generator<GivenRecipient, void> {
    let place = first;
    for (const line of lines) {
      const recipient = this.#recipient(line, place);
      if (recipient?.ok === false) {
        faults.addFault(this.nameOf(place), recipient);
        leaveOut?.(place);
      } else if (recipient !== undefined) yield recipient.value;
      place += 1;
    }
  }

  /** Undefined for a line without a recipient. */
  #recipient(line: string | Fault, place: number): Result<GivenRecipient> | undefined {
    if (typeof line !== 'string') return line;
    if (withoutRecipient.test(line)) return undefined;
    const [number = '', ...others] = line.split(';', this.#fieldCount);
    const t = number.trim();
    if (t === '') return fault('missing_parameter', 'There is no phone number before the first semicolon.');
    const faultOfNumber = faultOfText(t, fieldBounds.t);
    if (faultOfNumber !== undefined)
      return fault(faultOfNumber.code, `The phone number ${faultOfNumber.error}`, faultOfNumber.values);
    const decoded: string[] = [];
    for (const [index, raw] of others.entries()) {
      const field = decodeComponent(raw);
      if (!field.ok) return fault(field.code, `In ${nameOfField(index)}: ${field.error}`, field.values);
      const faultOfField = faultOfText(field.value, boundsOfField(index));
      if (faultOfField !== undefined)
        return fault(faultOfField.code, `${nameOfField(index)} ${faultOfField.error}`, faultOfField.values);
      decoded.push(field.value);
    }
    const [m = '', i = '', ...s] = decoded;
    return success({ place, t, m: m === '' ? undefined : m, i: i === '' ? undefined : i, s });
  }
}

function nameOfField(index: number): string {
  if (index === 0) return 'the message';
  return index === 1 ? 'the conversation id' : `substitution ${index - 1}`;
}

function boundsOfField(index: number): LengthBounds {
  if (index === 0) return fieldBounds.m;
  return index === 1 ? fieldBounds.i : fieldBounds.s;
}

/** A line that is not valid UTF-8 is a fault, but the lines around it are still read. */
function linesOf(bytes: Buffer): readonly (string | Fault)[] {
  if (isUtf8(bytes)) return split(bytes.toString());
  return split(bytes.toString('latin1')).map((line) => {
    const itsBytes = Buffer.from(line, 'latin1');
    return isUtf8(itsBytes)
      ? itsBytes.toString()
      : fault(
          'bad_encoding',
          'The line is not UTF-8. Encode the list as UTF-8, or percent-encode what is not ASCII.',
        );
  });
}

function split(text: string): readonly string[] {
  return text.includes('\r') ? text.split(/\r\n?|\n/) : text.split('\n');
}

function linesIn(bytes: Buffer): number {
  return split(bytes.toString('latin1')).length - 1;
}

/** The first line break after at least a slice's worth of bytes, or the end of the body when there is none nearby. */
function endOfSlice(body: Body, from: number): number {
  const most = Math.min(body.length, from + sliceBytes + maxLineBytes + 1);
  for (let at = Math.min(from + sliceBytes, body.length); at < most; at += 1) {
    const byte = body.at(at);
    if (byte === carriageReturn) return at;
    // Never cuts between CR and LF.
    if (byte === lineFeed) return body.at(at - 1) === carriageReturn ? at - 1 : at;
  }
  return most;
}

function behindBreak(body: Body, at: number): number {
  const isPair = at + 1 < body.length && body.at(at) === carriageReturn && body.at(at + 1) === lineFeed;
  return at + (isPair ? 2 : 1);
}
