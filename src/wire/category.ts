/** The categories of messages, and what a company does about people who have opted out of them. */

export const categories = ['essential', 'notification', 'marketing'] as const;
export type Category = (typeof categories)[number];

/** The category of messages of accounts that have no category of their own. */
export const standardCategory: Category = 'notification';

/**
 * `off`: opt-outs are ignored. `honour`: nobody gets messages that they have opted out of. `essentialPasses`: essential
 * messages are sent even to them.
 */
export const optOutPolicies = ['off', 'honour', 'essentialPasses'] as const;
export type OptOutPolicy = (typeof optOutPolicies)[number];

/**
 * A reply to a person's own STOP, START or HELP. It counts as essential, and is sent even to a person who has opted out of
 * everything.
 */
export const replyCategory = 'reply';

/** The code of each category in the store, where the standard one is null. */
const codes = { essential: 1, marketing: 2, [replyCategory]: 3 } as const;

export function categoryCode(category: Category | typeof replyCategory): number | null {
  return category === standardCategory ? null : codes[category as keyof typeof codes];
}

/** A reply is shown as essential. */
export function categoryOf(code: number | null): Category {
  if (code === codes.marketing) return 'marketing';
  return code === null ? standardCategory : 'essential';
}

/** Whether a person with an opt-out of `optedOutOf` does not get a message with the code of a category. */
export function isBarred(policy: OptOutPolicy, optedOutOf: Category | 'all', code: number | null): boolean {
  if (policy === 'off' || code === codes[replyCategory]) return false;
  if (policy === 'essentialPasses' && code === codes.essential) return false;
  return optedOutOf === 'all' || optedOutOf === categoryOf(code);
}
