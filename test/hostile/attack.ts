/** Defines an attack: calls of one kind in their cheapest and their worst form, repeated over and over. */
import type { Site } from './site.ts';

/** One attempt; resolves with its result. */
export type Strike = () => Promise<string>;

export interface Attack {
  readonly name: string;
  /** A stranger gives no account, or a wrong key or password. */
  readonly by: 'stranger' | 'customer';
  /** Called once, before anything is measured. */
  readonly cheapest: (site: Site) => Strike;
  readonly worst: (site: Site) => Strike;
}
