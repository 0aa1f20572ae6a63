/** A changeable value shared by the whole page, such as the theme or the toasts. */
import { useSyncExternalStore } from 'react';

export interface SharedValue<Value> {
  get(): Value;
  set(next: Value): void;
  /** Returns the value in a component, and renders the component again when it changes. */
  use(): Value;
  /** Calls the listener on each change. Returns a function that unsubscribes. */
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
