/**
 * The forms of a carrier's message id. The id in a receipt is seldom character for character the one in the submission's
 * response: one is decimal and the other hexadecimal, leading zeros come and go, and letter case changes. SMPP 3.4 (5.2.12,
 * 5.3.2.12) leaves the form of ids to the SMSC. Leading zeros and letter case are ignored wherever ids are compared: by
 * `plainId`, and by its counterpart in the store. This module handles the forms that differ in other ways.
 */

/** How a receipt's id relates to the id in the submission's response. This is a setting of each carrier. */
export const messageIdRules = ['auto', 'text', 'hexToDecimal', 'decimalToHex'] as const;

/**
 * - `auto`: the same text; if no part has it, any other form that leads to exactly one part.
 * - `text`: the same text, except for letter case and leading zeros.
 * - `hexToDecimal`: hexadecimal in the response, decimal in the receipt.
 * - `decimalToHex`: decimal in the response, hexadecimal in the receipt.
 */
export type MessageIdRule = (typeof messageIdRules)[number];

/** The ids of a receipt in the form of the carrier port. */
export interface ReceiptIds {
  readonly carrierMessageId: string;
  readonly submittedId?: string | undefined;
  readonly otherIds: () => readonly string[];
}

/** Longer numbers are treated as text: no SMSC counts beyond 128 bits, and the work per id stays small. */
const maxDecimalDigits = 39;
const maxHexDigits = 32;

/** Ids with the same plain form are equal, except for leading zeros and letter case. */
export function plainId(id: string): string {
  return id.replace(/^0+/, '').toLowerCase();
}

/** Takes the ids from the receipt, of which the first counts most (a TLV before the text). */
export function receiptIds(written: readonly [string, ...string[]], rule: MessageIdRule): ReceiptIds {
  const [carrierMessageId, ...more] = written;
  const submittedId = converts(rule) ? otherForms(carrierMessageId, rule)[0] : undefined;
  const otherIds = () => {
    const ids = converts(rule) ? [] : more;
    const forms = new Set([...ids, ...written.flatMap((id) => otherForms(id, rule))]);
    forms.delete(submittedId ?? carrierMessageId);
    return [...forms];
  };
  return { carrierMessageId, submittedId, otherIds };
}

function converts(rule: MessageIdRule): boolean {
  return rule === 'hexToDecimal' || rule === 'decimalToHex';
}

/**
 * Returns the forms in which the submission's response may have given the id, the likeliest first, ignoring leading zeros and
 * letter case. A rule that converts gives a single form: for an id that is not a number, the id itself.
 */
export function otherForms(id: string, rule: MessageIdRule): readonly string[] {
  switch (rule) {
    case 'text':
      return [];
    case 'hexToDecimal':
      return [asHex(id) ?? id];
    case 'decimalToHex':
      return [asDecimal(id) ?? id];
    case 'auto':
      // A hexadecimal response with a decimal receipt is the most common combination.
      return [...new Set([asHex(id), asDecimal(id)])].filter(
        (form): form is string => form !== undefined && form !== plainId(id),
      );
  }
}

/** Converts a decimal id to hexadecimal. Undefined if it is not decimal. */
function asHex(id: string): string | undefined {
  if (!/^[0-9]+$/.test(id)) return undefined;
  const digits = plainId(id);
  return digits.length > maxDecimalDigits ? undefined : BigInt(digits || '0').toString(16);
}

/** Converts a hexadecimal id to decimal. Undefined if it is not hexadecimal. */
function asDecimal(id: string): string | undefined {
  if (!/^(0x)?[0-9a-f]+$/i.test(id)) return undefined;
  const digits = plainId(id.replace(/^0x/i, ''));
  return digits.length > maxHexDigits ? undefined : BigInt(`0x${digits || '0'}`).toString();
}
