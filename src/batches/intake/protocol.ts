/** What the intake thread and the rest of the process say to each other. */
import type { CrossingFault } from '../../foundation/thread.ts';
import type { TaskOwner } from '../../foundation/turns.ts';
import type { FinishedBatch, FinishedChunk } from './finish.ts';
import type { BatchRequest } from './judge.ts';

/** About one upload, by its number; the next only when the last is answered, but for `drop`, which has no answer. */
export type Ask =
  | {
      readonly kind: 'openJson';
      readonly upload: number;
      readonly blocks: readonly Uint8Array<ArrayBuffer>[];
      readonly length: number;
      readonly owner: TaskOwner;
      /** Names of the fields to give back. */
      readonly fields: readonly string[];
    }
  | {
      readonly kind: 'openLines';
      readonly upload: number;
      readonly blocks: readonly Uint8Array<ArrayBuffer>[];
      readonly length: number;
      readonly owner: TaskOwner;
    }
  | { readonly kind: 'judge'; readonly upload: number; readonly request: BatchRequest }
  | { readonly kind: 'preview'; readonly upload: number; readonly request: BatchRequest }
  | { readonly kind: 'next'; readonly upload: number }
  | { readonly kind: 'drop'; readonly upload: number };

export interface OpenedJson {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly hasList: boolean;
}

export interface Judged {
  readonly recipients: number;
  readonly requestHash: string | undefined;
  readonly fault: CrossingFault | undefined;
}

/** A chunk, or what there is to say behind the last one. */
export type Finished = { readonly chunk: FinishedChunk } | { readonly end: FinishedBatch };
