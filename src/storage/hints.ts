/** How a room tells open pages, at whatever node they are, that one of a company's lists has changed: they read it again. */
import type { Store } from './store.ts';

const prefix = 'hint';

/** To be called when the change is stored. `list`: as pages know it, such as `contacts`. */
export function announceHint(store: Pick<Store, 'announce'>, companyId: number, list: string): void {
  store.announce(`${prefix} ${companyId} ${list}`);
}

export function readHint(
  announced: string,
): { readonly companyId: number; readonly list: string } | undefined {
  const [first, companyId, list] = announced.split(' ');
  return first === prefix && list !== undefined ? { companyId: Number(companyId), list } : undefined;
}
