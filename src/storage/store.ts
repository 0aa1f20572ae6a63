/** The store as the rooms see it, whatever engine is below. */
import { ServiceError } from '../foundation/errors.ts';
import type { StoreDamage } from './damage.ts';
import type { Dialect } from './sql.ts';
import type { ReadVerb, WriteVerb } from './verb.ts';

export interface ReadOptions {
  /** Is aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

export interface Store {
  readonly dialect: Dialect;
  readonly damage: StoreDamage;
  /** False while writes of a verb fail because the store is at fault, or get no answer. */
  worksFor(verb: { readonly name: string }): boolean;
  /** How long what waits longest among the writes of a verb has waited so far, in milliseconds. */
  waitMs(verb: { readonly name: string }): number;
  /** Runs a verb and answers once what it wrote is durable. Throws `store_unavailable` or `overloaded` when it can't. */
  write<Input, Output>(verb: WriteVerb<Input, Output>, input: Input): Promise<Output>;
  /** Reads committed state. Throws the signal's reason when nobody waits for the answer any more before it has begun. */
  read<Input, Output>(verb: ReadVerb<Input, Output>, input: Input, options?: ReadOptions): Promise<Output>;
  /** Tells all nodes that share this store, this one too, that something waits for them; best effort, never waited for. */
  announce(topic: string): void;
  onAnnouncement(listener: (topic: string) => void): void;
  /** What was deleted so far is to leave the files of the database soon, where that is ours to decide. */
  forgetDeleted(): void;
  /** Finishes what is under way, then lets go of the database. */
  close(): Promise<void>;
}

/** The store can't be reached or written. Nothing was kept: the caller may try again. */
export function storeUnavailable(cause: unknown): ServiceError {
  return new ServiceError(
    'store_unavailable',
    'The store cannot be reached or written just now. Try again in a moment.',
    {
      headers: { 'retry-after': '2' },
      cause,
    },
  );
}

/**
 * The store fell silent, or its disk failed, while it made a call durable. The caller may look, or repeat the call under
 * its key.
 */
export class OutcomeUnknown extends ServiceError {
  constructor(cause: unknown) {
    super(
      'store_unavailable',
      'The store failed while it kept this call, so that it may or may not have been done. Repeat it with an `Idempotency-Key`, or look before you repeat it.',
      {
        headers: { 'retry-after': '2' },
        cause,
      },
    );
  }
}
