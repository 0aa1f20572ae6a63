/** What one part of the service has to say on the front page, and how the reading of it goes. */
import type { Fault } from '../api/fault.ts';
import { now } from '../words/times.ts';
import type { Line } from './lines.tsx';

export interface Source {
  readonly needs: readonly Line[];
  readonly queries: readonly {
    readonly isLoading: boolean;
    readonly error: Fault | null;
    readonly refetch: () => unknown;
  }[];
}

/** In the zone of whoever looks: the same all day. */
export function midnight(): string {
  const today = now();
  return new Date(today.getFullYear(), today.getMonth(), today.getDate()).toISOString();
}
