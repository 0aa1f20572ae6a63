/** What the threads of the store are asked, and what they answer. */
import type { SchemaMode } from '../schema-version.ts';
import type { CrossingError } from './faults.ts';

export interface WorkerSetup {
  readonly role: 'writer' | 'reader' | 'migrator';
  readonly path: string;
  /** For the writer, which opens the store first. */
  readonly schema?: SchemaMode;
}

export interface NamedCall {
  readonly verb: string;
  readonly input: unknown;
}

/** `forget`: nothing of what was deleted so far is to be left in files. `migrate`: only the migrator does. */
export type WorkerAsk = WorkerRequest | 'open' | 'migrate' | 'forget' | 'close';

export interface WorkerRequest {
  readonly calls: readonly NamedCall[];
  /** Rows that the calls touch, about. */
  readonly weight: number;
}

export type WorkerSettled = { readonly output: unknown } | { readonly error: CrossingError };

export type Opened =
  | { readonly isOpen: true }
  /** The store has this version of the schema, which has to be brought forward first. */
  | { readonly older: number }
  | {
      readonly refused: string;
      /** A sentence of our own, which needs no other around it. */
      readonly isOwn: boolean;
    };
