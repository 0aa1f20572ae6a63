/**
 * The forms of a carrier's message id. What an SMSC writes into a receipt is seldom character by character what it
 * answered the submission with: one is decimal where the other is hexadecimal, zeros in front come and go, and so does
 * the case of letters. SMPP 3.4 (5.2.12, 5.3.2.12) leaves the form of ids to the SMSC.
 */

/** How the id of a receipt relates to that of the submission's answer: a setting of each carrier. */
export const messageIdRules = ['auto', 'text', 'hexToDecimal', 'decimalToHex'] as const;

/**
 * - `auto`: the same text; where no part has it, any other form that leads to exactly one part.
 * - `text`: the same text, but for letter case and leading zeros.
 * - `hexToDecimal`: hexadecimal in the answer, decimal in the receipt.
 * - `decimalToHex`: decimal in the answer, hexadecimal in the receipt.
 */
export type MessageIdRule = (typeof messageIdRules)[number];

/** The ids of a receipt as the carrier port takes them. */
export interface ReceiptIds {
  readonly carrierMessageId: string;
  readonly submittedId?: string | undefined;
  readonly otherIds: () => readonly string[];
}

/** Longer numbers stay text: no SMSC counts beyond 128 bits, and the work on one id stays small. */
const maxDecimalDigits = 39;
const maxHexDigits = 32;

/** Widths to which SMSCs pad: 32 and 64 bits in hexadecimal, the ten digits of SMPP 3.4 appendix B, 64 bits in decimal. */
const hexWidths = [8, 16];
const decimalWidths = [10, 20];
const anyWidths = [8, 10, 16, 20];

/**
 * Of what a receipt wrote: the first of the written ids counts most (a TLV before the text). A rule that converts needs
 * a `sample`, any late id that a submission was answered with, to guess letter case and zeros right at the first try.
 */
export function receiptIds(
  written: readonly [string, ...string[]],
  rule: MessageIdRule,
  sample = '',
): ReceiptIds {
  const [carrierMessageId, ...more] = written;
  const submittedId = converts(rule)
    ? likeSample(otherForms(carrierMessageId, rule), sample)
    : carrierMessageId;
  const otherIds = () => {
    const forms = new Set(converts(rule) ? [] : more);
    for (const id of written) for (const form of otherForms(id, rule)) forms.add(form);
    forms.delete(submittedId);
    return [...forms];
  };
  return {
    carrierMessageId,
    submittedId: submittedId === carrierMessageId ? undefined : submittedId,
    otherIds,
  };
}

function converts(rule: MessageIdRule): boolean {
  return rule === 'hexToDecimal' || rule === 'decimalToHex';
}

/** The form that is as long as the sample, if that begins with a zero, and written in its letter case. */
function likeSample(forms: readonly string[], sample: string): string {
  const isPadded = (form: string) => sample.startsWith('0') && form.length === sample.length;
  const isUpper = /[A-F]/.test(sample);
  const score = (form: string) =>
    (isPadded(form) ? 2 : 0) + (form === (isUpper ? form.toUpperCase() : form.toLowerCase()) ? 1 : 0);
  return forms.reduce((best, form) => (score(form) > score(best) ? form : best));
}

/**
 * The forms in which the submission's answer may have given the id that a receipt wrote, the likeliest first. Without
 * the written form itself, except under a rule that converts where the id is no number: there it is all there is.
 */
export function otherForms(id: string, rule: MessageIdRule): readonly string[] {
  if (converts(rule)) {
    const forms = rule === 'hexToDecimal' ? asHex(id) : asDecimal(id);
    return forms.length > 0 ? [...new Set(forms)] : [...new Set([id, ...asText(id)])];
  }
  const forms = new Set(asText(id));
  if (rule === 'auto') {
    // Hexadecimal answers with decimal receipts are the commonest of all.
    for (const form of asHex(id)) forms.add(form);
    for (const form of asDecimal(id)) forms.add(form);
  }
  forms.delete(id);
  return [...forms];
}

/** The same digits or letters, with other zeros in front or in the other case. */
function asText(id: string): readonly string[] {
  const stripped = id.replace(/^0+(?=.)/, '');
  if (isDecimal(id)) return [stripped, ...padded(stripped, anyWidths)];
  const cases = [stripped, stripped.toLowerCase(), stripped.toUpperCase()];
  const whole = [id.toLowerCase(), id.toUpperCase()];
  if (!isHex(id)) return [...whole, ...cases];
  return [...whole, ...cases, ...cases.slice(1).flatMap((form) => padded(form, hexWidths))];
}

/** A decimal id in hexadecimal; none when it is not decimal. */
function asHex(id: string): readonly string[] {
  if (!isDecimal(id)) return [];
  const lower = BigInt(id).toString(16);
  const upper = lower.toUpperCase();
  return [
    lower,
    upper,
    ...hexWidths.flatMap((width) => [...padded(lower, [width]), ...padded(upper, [width])]),
  ];
}

/** A hexadecimal id in decimal; none when it is not hexadecimal. */
function asDecimal(id: string): readonly string[] {
  if (!isHex(id)) return [];
  const decimal = BigInt(`0x${id.replace(/^0x/i, '')}`).toString();
  return [decimal, ...padded(decimal, decimalWidths)];
}

function padded(id: string, widths: readonly number[]): readonly string[] {
  return widths.filter((width) => width > id.length).map((width) => id.padStart(width, '0'));
}

function isDecimal(id: string): boolean {
  return id.length <= maxDecimalDigits && /^[0-9]+$/.test(id);
}

function isHex(id: string): boolean {
  return id.length <= maxHexDigits && /^(0x)?[0-9a-f]+$/i.test(id);
}
