/**
 * What the browser stores for the portal between visits. If storage is forbidden or full, the page keeps it for as long as it
 * is open.
 */

const prefix = 'carillon.';

/** The tab's storage is lost with the tab; the browser's storage is not. */
function storageOf(where: 'tab' | 'browser'): Storage | undefined {
  try {
    return where === 'tab' ? window.sessionStorage : window.localStorage;
  } catch {
    // A user who has turned storage off is asked again at each visit.
    return undefined;
  }
}

/** Values that the browser did not store. */
const inPage = new Map<string, string>();

export function kept(name: string, where: 'tab' | 'browser' = 'browser'): string | undefined {
  return inPage.get(name) ?? storageOf(where)?.getItem(prefix + name) ?? undefined;
}

/** Returns whether the value is kept beyond this page, which it is not if the storage is full. */
export function keep(name: string, value: string | undefined, where: 'tab' | 'browser' = 'browser'): boolean {
  const before = value === undefined ? kept(name, where) : undefined;
  const isStored = store(name, value, where);
  if (before !== undefined) for (const listener of whenGone) listener(name, before);
  return isStored;
}

function store(name: string, value: string | undefined, where: 'tab' | 'browser'): boolean {
  inPage.delete(name);
  const storage = storageOf(where);
  try {
    if (value === undefined) storage?.removeItem(prefix + name);
    else storage?.setItem(prefix + name, value);
    if (storage !== undefined) return true;
  } catch {
    // The storage is full.
  }
  if (value !== undefined) inPage.set(name, value);
  return false;
}

/** Calls the listener with the name of anything that another tab stores, changes or removes in the browser. */
export function whenKeptElsewhere(listener: (name: string) => void): void {
  window.addEventListener('storage', ({ key }) => {
    if (key?.startsWith(prefix)) listener(key.slice(prefix.length));
  });
}

const whenGone = new Set<(name: string, before: string) => void>();
window.addEventListener('storage', ({ key, oldValue, newValue }) => {
  if (key?.startsWith(prefix) && oldValue !== null && newValue === null)
    for (const listener of whenGone) listener(key.slice(prefix.length), oldValue);
});

/**
 * Calls the listener with the name and the last value of anything removed, here or in another tab. Returns a function that
 * unsubscribes.
 */
export function whenForgotten(listener: (name: string, before: string) => void): () => void {
  whenGone.add(listener);
  return () => whenGone.delete(listener);
}

/** Removes what is kept for a user under the given kinds, named `kind.….username.…`. */
export function forgetKept(kinds: readonly string[], username: string): void {
  const stored = Object.keys(storageOf('browser') ?? {}).filter((name) => name.startsWith(prefix));
  for (const name of [...stored.map((one) => one.slice(prefix.length)), ...inPage.keys()]) {
    const isOfKind = kinds.some((kind) => name.startsWith(`${kind}.`));
    if (isOfKind && `${name}.`.includes(`.${username}.`)) keep(name, undefined);
  }
}
