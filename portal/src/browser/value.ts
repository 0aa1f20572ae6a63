/** A value that all of a page sees and that may change: the language, the theme, the toasts. */
import { useSyncExternalStore } from 'react';

export interface SharedValue<Value> {
  get(): Value;
  set(next: Value): void;
  /** In a component: the value, and drawn anew when it changes. */
  use(): Value;
  /** Calls at each change, and returns what ends that. */
  subscribe(listener: () => void): () => void;
}

export function sharedValue<Value>(first: Value): SharedValue<Value> {
  let value = first;
  const listeners = new Set<() => void>();
  const get = () => value;
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get,
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, get),
    subscribe,
  };
}
