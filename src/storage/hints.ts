/** A room's hint to open pages, on any node, that one of a company's lists has changed and should be reloaded. */
import type { Store } from './store.ts';

const prefix = 'hint';

/** Call this once the change is stored. `list` is the name that pages use, such as `contacts`. */
export function announceHint(store: Pick<Store, 'announce'>, companyId: number, list: string): void {
  store.announce(`${prefix} ${companyId} ${list}`);
}

export function readHint(
  announced: string,
): { readonly companyId: number; readonly list: string } | undefined {
  const [first, companyId, list] = announced.split(' ');
  return first === prefix && list !== undefined ? { companyId: Number(companyId), list } : undefined;
}
