/** What the intake thread and the rest of the process say to each other. */
import { type ErrorCode, type FieldError, ServiceError } from '../foundation/errors.ts';
import type { FinishedBatch, FinishedChunk } from './finish.ts';
import type { BatchRequest } from './judge.ts';

/** About one upload, by its number; the next only when the last is answered, but for `drop`, which has no answer. */
export type Ask =
  | {
      readonly kind: 'openJson';
      readonly upload: number;
      readonly blocks: readonly Uint8Array<ArrayBuffer>[];
      readonly length: number;
      /** Names of the fields to give back. */
      readonly fields: readonly string[];
    }
  | {
      readonly kind: 'openLines';
      readonly upload: number;
      readonly blocks: readonly Uint8Array<ArrayBuffer>[];
      readonly length: number;
    }
  | { readonly kind: 'judge'; readonly upload: number; readonly request: BatchRequest }
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

export interface Told {
  readonly upload: number;
  readonly answer?: OpenedJson | Judged | Finished | null;
  readonly fault?: CrossingFault;
}

/** An error as it crosses threads; without a code it is no fault of the caller. */
export interface CrossingFault {
  readonly code: ErrorCode | undefined;
  readonly message: string;
  readonly stack: string | undefined;
  readonly errors: readonly FieldError[];
}

export function crossing(error: unknown): CrossingFault {
  if (error instanceof ServiceError) {
    return { code: error.code, message: error.message, stack: undefined, errors: error.errors };
  }
  const { message = String(error), stack } = error as Partial<Error>;
  return { code: undefined, message, stack, errors: [] };
}

export function arrived({ code, message, stack, errors }: CrossingFault): Error {
  if (code !== undefined) return new ServiceError(code, message, { errors });
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
