/** A room's hint to open pages, on any node, that one of a company's lists has changed and should be reloaded. */
import type { Store } from './store.ts';

const prefix = 'hint';
/** In place of a company's id, for the lists of operators. No company has this id. */
export const ofOperators = 0;

/** Call this once the change is stored. `list` is the name that pages use, such as `contacts`. */
export function announceHint(store: Pick<Store, 'announce'>, companyId: number, list: string): void {
  store.announce(`${prefix} ${companyId} ${list}`);
}

/** The same for the lists of operators. */
export function announceToOperators(store: Pick<Store, 'announce'>, list: string): void {
  announceHint(store, ofOperators, list);
}

export function readHint(
  announced: string,
): { readonly companyId: number; readonly list: string } | undefined {
  const [first, companyId, list] = announced.split(' ');
  return first === prefix && list !== undefined ? { companyId: Number(companyId), list } : undefined;
}
