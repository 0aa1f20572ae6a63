/**
 * What the browser keeps for the portal between visits. Where it keeps nothing, since storage is forbidden or full, the page
 * keeps it for as long as it is open.
 */

const prefix = 'carillon.';

/** The window's own storage is lost with the tab, the browser's is not. */
function storageOf(where: 'tab' | 'browser'): Storage | undefined {
  try {
    return where === 'tab' ? window.sessionStorage : window.localStorage;
  } catch {
    // Whoever has turned storage off is asked again at each visit.
    return undefined;
  }
}

/** What the browser did not take. */
const inPage = new Map<string, string>();

export function kept(name: string, where: 'tab' | 'browser' = 'browser'): string | undefined {
  return inPage.get(name) ?? storageOf(where)?.getItem(prefix + name) ?? undefined;
}

/** Whether it is kept beyond this page: a full storage takes no more. */
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
    // It is full.
  }
  if (value !== undefined) inPage.set(name, value);
  return false;
}

/** Tells the name of whatever another tab keeps, changes or forgets in the browser. */
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

/** Tells what is forgotten, here or in another tab, and what it was until then. Returns what ends that. */
export function whenForgotten(listener: (name: string, before: string) => void): () => void {
  whenGone.add(listener);
  return () => whenGone.delete(listener);
}

/** What is kept of somebody's under a kind of name, `kind.….username.…`, goes. */
export function forgetKept(kinds: readonly string[], username: string): void {
  const stored = Object.keys(storageOf('browser') ?? {}).filter((name) => name.startsWith(prefix));
  for (const name of [...stored.map((one) => one.slice(prefix.length)), ...inPage.keys()]) {
    const isOfKind = kinds.some((kind) => name.startsWith(`${kind}.`));
    if (isOfKind && `${name}.`.includes(`.${username}.`)) keep(name, undefined);
  }
}
