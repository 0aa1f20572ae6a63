/** Reads again what pages show when the server hints that it has changed, for as long as somebody looks. */
import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call, portalPath } from './client.ts';

/** When the stream was refused, as by a server that starts anew: not all tabs at once. */
const retryAfterMs = () => 1_000 + Math.random() * 2_000;

/** While the tab is hidden there is no stream: a browser has few connections to one host. */
export function followHints(client: QueryClient): () => void {
  let source: EventSource | undefined;
  let retry: number | undefined;
  const close = () => {
    window.clearTimeout(retry);
    source?.close();
    source = undefined;
  };
  const open = () => {
    close();
    const opened = new EventSource(`${portalPath}api/hints`);
    source = opened;
    // Of what was missed in between nothing is known.
    opened.onopen = () => void refresh(client, () => true);
    opened.onmessage = ({ data }) => {
      const { topic } = JSON.parse(data) as { readonly topic: string };
      void refresh(client, (live) => live.includes(topic));
    };
    opened.onerror = () => {
      // A server that is out of reach comes back to the stream by itself.
      if (opened.readyState === EventSource.CLOSED) void reopen(opened);
    };
  };
  const reopen = async (closed: EventSource) => {
    // It may be that the session has ended: this waits until somebody has signed in again.
    await call('GET', '/portal/api/session', {}).catch(() => undefined);
    if (source === closed) retry = window.setTimeout(open, retryAfterMs());
  };
  const look = () => (document.hidden ? close() : open());
  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    document.removeEventListener('visibilitychange', look);
    close();
  };
}

async function refresh(client: QueryClient, concerns: (live: readonly unknown[]) => boolean): Promise<void> {
  await client.invalidateQueries({
    predicate: ({ meta }) => {
      const live = meta?.live;
      return Array.isArray(live) && live.length > 0 && concerns(live);
    },
    refetchType: 'none',
  });
  // Those that show many pages say that there is more, and are read again when they are asked to.
  await client.refetchQueries({
    type: 'active',
    stale: true,
    predicate: ({ meta, state }) => {
      const live = meta?.live;
      const pages = (state.data as { readonly pages?: readonly unknown[] } | undefined)?.pages?.length ?? 1;
      const most = typeof meta?.mostLivePages === 'number' ? meta.mostLivePages : 1;
      return Array.isArray(live) && concerns(live) && pages <= most;
    },
  });
}

export function useLiveHints(): void {
  const client = useQueryClient();
  useEffect(() => followHints(client), [client]);
}
