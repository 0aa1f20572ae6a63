/**
 * The forms of a carrier's message id. What an SMSC writes into a receipt is seldom character by character what it
 * answered the submission with: one is decimal where the other is hexadecimal, zeros in front come and go, and so does
 * the case of letters. SMPP 3.4 (5.2.12, 5.3.2.12) leaves the form of ids to the SMSC.
 *
 * Zeros in front, to whatever width, and the case of letters are left out by whoever compares ids: `plainId`, and its like
 * in the store. What is told here are the forms that differ otherwise.
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

/** Two ids that are alike in this are the same, but for zeros in front and the case of letters. */
export function plainId(id: string): string {
  return id.replace(/^0+/, '').toLowerCase();
}

/** Of what a receipt wrote: the first of the written ids counts most (a TLV before the text). */
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
 * The forms in which the submission's answer may have given the id that a receipt wrote, the likeliest first, other than
 * by zeros and the case of letters. Under a rule that converts there is one: of an id that is no number, it itself.
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
      // Hexadecimal answers with decimal receipts are the commonest of all.
      return [...new Set([asHex(id), asDecimal(id)])].filter(
        (form): form is string => form !== undefined && form !== plainId(id),
      );
  }
}

/** A decimal id in hexadecimal; none when it is not decimal. */
function asHex(id: string): string | undefined {
  if (!/^[0-9]+$/.test(id)) return undefined;
  const digits = plainId(id);
  return digits.length > maxDecimalDigits ? undefined : BigInt(digits || '0').toString(16);
}

/** A hexadecimal id in decimal; none when it is not hexadecimal. */
function asDecimal(id: string): string | undefined {
  if (!/^(0x)?[0-9a-f]+$/i.test(id)) return undefined;
  const digits = plainId(id.replace(/^0x/i, ''));
  return digits.length > maxHexDigits ? undefined : BigInt(`0x${digits || '0'}`).toString();
}
