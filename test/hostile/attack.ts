/** What an attack is: calls of one kind in their cheapest and their worst form, made again and again. */
import type { Site } from './site.ts';

/** One go at it; answers with what came of it. */
export type Strike = () => Promise<string>;

export interface Attack {
  readonly name: string;
  /** A stranger names nobody, or has a wrong key or password. */
  readonly by: 'stranger' | 'customer';
  /** Made once, before anything is measured. */
  readonly cheapest: (site: Site) => Strike;
  readonly worst: (site: Site) => Strike;
}
