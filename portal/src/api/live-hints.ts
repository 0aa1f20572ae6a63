/** While the tab is visible, reloads what pages show whenever the server hints that it has changed. */
import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { serverTime } from '../browser/clock.ts';
import { sharedValue } from '../browser/value.ts';
import { call, isOfOperators, ownPath, portalPath } from './client.ts';

const lost = sharedValue<number | undefined>(undefined);

/** Since when hints may have been missed, in milliseconds since the epoch; undefined while the connection is there. */
export const useNotLiveSince = lost.use;

/** Delay after a refused stream, for example by a restarting server. It is random so that not all tabs reconnect at once. */
const retryAfterMs = () => 1_000 + Math.random() * 2_000;
/** Hints come one list at a time, several at once; what shows several lists is reloaded once for all of them. */
const gatheredForMs = 50;

/** There is no stream while the tab is hidden, because a browser allows few connections to one host. */
export function followHints(client: QueryClient): () => void {
  let source: EventSource | undefined;
  let retry: number | undefined;
  let changed = new Set<unknown>();
  const reload = () => {
    const lists = changed;
    changed = new Set();
    void refresh(client, (live) => live.some((list) => lists.has(list)));
  };
  const close = () => {
    window.clearTimeout(retry);
    source?.close();
    source = undefined;
  };
  const lose = () => {
    if (!document.hidden) lost.set(lost.get() ?? serverTime());
  };
  const open = () => {
    close();
    const opened = new EventSource(`${portalPath}api/${isOfOperators ? 'operator/' : ''}hints`);
    source = opened;
    // Hints missed in the meantime are unknown, so everything is reloaded.
    opened.onopen = () => {
      lost.set(undefined);
      void refresh(client, () => true);
    };
    opened.onmessage = ({ data }) => {
      const { topic } = JSON.parse(data) as { readonly topic: string };
      if (changed.size === 0) window.setTimeout(reload, gatheredForMs);
      changed.add(topic);
    };
    opened.onerror = () => {
      lose();
      // If the server is only unreachable, the browser itself reconnects the stream.
      if (opened.readyState === EventSource.CLOSED) void reopen(opened);
    };
  };
  const reopen = async (closed: EventSource) => {
    // The session may have ended, so this waits until the user has signed in again.
    await call('GET', `${ownPath}/session`, {}).catch(() => undefined);
    if (source === closed) retry = window.setTimeout(open, retryAfterMs());
  };
  const look = () => (document.hidden ? close() : open());
  document.addEventListener('visibilitychange', look);
  // A stream whose connection has vanished reports nothing by itself.
  window.addEventListener('offline', lose);
  window.addEventListener('online', look);
  look();
  return () => {
    document.removeEventListener('visibilitychange', look);
    window.removeEventListener('offline', lose);
    window.removeEventListener('online', look);
    close();
    lost.set(undefined);
  };
}

/** Reads again what is shown and concerned by a change. */
export async function refresh(
  client: QueryClient,
  concerns: (live: readonly unknown[]) => boolean,
): Promise<void> {
  await client.invalidateQueries({
    predicate: ({ meta }) => {
      const live = meta?.live;
      return Array.isArray(live) && live.length > 0 && concerns(live);
    },
    refetchType: 'none',
  });
  // Lists that show many pages only say that something is new, and are reloaded on request.
  await client.refetchQueries({
    type: 'active',
    stale: true,
    predicate: ({ meta, state }) => {
      const live = meta?.live;
      const pages = (state.data as { readonly pages?: readonly unknown[] } | undefined)?.pages?.length ?? 1;
      const most = typeof meta?.maxLivePages === 'number' ? meta.maxLivePages : 1;
      if (typeof meta?.pauseOf === 'function' && meta.pauseOf(state.data) !== undefined) return false;
      return Array.isArray(live) && concerns(live) && pages <= most;
    },
  });
}

export function useLiveHints(): void {
  const client = useQueryClient();
  useEffect(() => followHints(client), [client]);
}
