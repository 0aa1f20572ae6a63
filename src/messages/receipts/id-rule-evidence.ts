/** Tells from receipts that belong to nothing how a carrier's ids in receipts relate to those at the submission. */
import { type MessageIdRule, otherForms, plainId } from '../../wire/smpp/message-id.ts';
import { agrees } from './receipt-number.ts';

/** Of a receipt. */
export interface UnmatchedId {
  readonly id: string;
  readonly recipient: string | null;
}

/** Of a part that the carrier took. */
export interface SubmittedPart {
  readonly id: string;
  readonly recipient: string;
  readonly sender: string;
}

type DefiniteRule = Exclude<MessageIdRule, 'auto'>;

export interface IdRuleEvidence {
  readonly rule: DefiniteRule;
  /** So many ids are those of a part under this rule. */
  readonly matching: number;
  readonly of: number;
}

const rules: readonly DefiniteRule[] = ['text', 'hexToDecimal', 'decimalToHex'];

/** One or two may hit by chance, above all where ids are short. */
const fewest = 3;

function formUnder(id: string, rule: DefiniteRule): string {
  return plainId(otherForms(id, rule)[0] ?? id);
}

/** The ids under which parts have to be looked for, but for zeros in front and letter case. */
export function idsToLookFor(unmatched: readonly UnmatchedId[]): readonly string[] {
  return [...new Set(unmatched.flatMap(({ id }) => rules.map((rule) => formUnder(id, rule))))];
}

/** The rule by which most ids are those of a part to the same number, if any rule does that for more than half of them. */
export function findIdRule(
  unmatched: readonly UnmatchedId[],
  parts: readonly SubmittedPart[],
): IdRuleEvidence | undefined {
  const byId = new Map<string, SubmittedPart[]>();
  for (const part of parts) {
    const id = plainId(part.id);
    byId.set(id, [...(byId.get(id) ?? []), part]);
  }
  const isOfPart = ({ id, recipient }: UnmatchedId, rule: DefiniteRule) => {
    const told = recipient === null ? {} : { recipient };
    return byId.get(formUnder(id, rule))?.some((part) => agrees(told, part)) ?? false;
  };
  const [best] = rules
    .map((rule) => ({
      rule,
      matching: unmatched.filter((one) => isOfPart(one, rule)).length,
      of: unmatched.length,
    }))
    .sort((a, b) => b.matching - a.matching);
  return best !== undefined && best.matching >= fewest && best.matching * 2 > best.of ? best : undefined;
}
