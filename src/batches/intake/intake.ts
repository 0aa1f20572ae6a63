/**
 * Hands large bodies to the intake thread and requests their content from it. The thread is started on first use, and again
 * after it has ended; in that case only the uploads that the thread held fail.
 */

import { ServiceError } from '../../foundation/errors.ts';
import type { CrossingFault } from '../../foundation/thread.ts';
import { CalledThread } from '../../foundation/thread.ts';
import type { TaskOwner } from '../../foundation/turns.ts';
import type { BodyBlocks } from '../../http/body/body.ts';
import type { JsonObject } from '../../http/parameters/table.ts';
import type { FinishedBatch, FinishedChunk } from './finish.ts';
import type { BatchRequest } from './judge.ts';
import type { BatchPreview } from './preview.ts';
import { listName } from './recipient.ts';

// The thread runs from the same kind of file as this one: source or build.
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const standardEntry = new URL(`./worker.${extension}`, import.meta.url);

export class Intake {
  readonly #entry: URL;
  #thread: CalledThread<Ask> | undefined;
  #uploads = 0;

  constructor(entry = standardEntry) {
    this.#entry = entry;
  }

  /** Returns the named fields of the body; its list of recipients, if any, becomes an Upload. */
  async openJson(
    body: BodyBlocks,
    fields: readonly string[],
    owner: TaskOwner,
    closed: AbortSignal,
  ): Promise<JsonObject> {
    // As on every endpoint, an empty body counts as an empty object.
    if (body.length === 0) return {};
    const { blocks, length } = body;
    const upload = this.#begin(closed);
    const opened = await upload.open<OpenedJson>({ kind: 'openJson', blocks, length, owner, fields });
    return opened.hasList ? { ...opened.fields, [listName]: upload } : opened.fields;
  }

  async openLines(body: BodyBlocks, owner: TaskOwner, closed: AbortSignal): Promise<Upload> {
    const { blocks, length } = body;
    const upload = this.#begin(closed);
    await upload.open<null>({ kind: 'openLines', blocks, length, owner });
    return upload;
  }

  /** Nothing is lost, because data that is not stored yet has not been acknowledged. */
  async stop(): Promise<void> {
    await this.#thread?.end();
  }

  #begin(closed: AbortSignal): Upload {
    if (this.#thread === undefined || this.#thread.hasFailed) this.#thread = startIntake(this.#entry);
    this.#uploads += 1;
    return new Upload(this.#thread, this.#uploads, closed);
  }
}

type Opening =
  | Omit<Extract<Ask, { kind: 'openJson' }>, 'upload'>
  | Omit<Extract<Ask, { kind: 'openLines' }>, 'upload'>;

/** A body in the thread. It is released when its request is over, even if the client has gone. */
export class Upload {
  readonly #thread: CalledThread<Ask>;
  readonly #number: number;
  readonly #closed: AbortSignal;
  /** Passes this error to the call that waits for an answer about the upload. */
  #abandon: (error: ServiceError) => void = () => undefined;

  constructor(thread: CalledThread<Ask>, number: number, closed: AbortSignal) {
    this.#thread = thread;
    this.#number = number;
    this.#closed = closed;
  }

  open<Answer>(opening: Opening): Promise<Answer> {
    const drop = () => {
      this.#thread.tell({ kind: 'drop', upload: this.#number });
      this.#abandon(clientGone());
    };
    this.#closed.addEventListener('abort', drop, { once: true });
    const blocks = opening.blocks.map(({ buffer }) => buffer);
    return this.#ask({ ...opening, upload: this.#number }, blocks);
  }

  judge(request: BatchRequest): Promise<Judged> {
    return this.#ask({ kind: 'judge', upload: this.#number, request });
  }

  /** A dry run of the batch; nothing is sent. */
  preview(request: BatchRequest): Promise<BatchPreview> {
    return this.#ask({ kind: 'preview', upload: this.#number, request });
  }

  /** Call this only after the batch has been validated. */
  next(): Promise<Finished> {
    return this.#ask({ kind: 'next', upload: this.#number });
  }

  #ask<Answer>(ask: Ask, transfer: ArrayBuffer[] = []): Promise<Answer> {
    if (this.#closed.aborted) return Promise.reject(clientGone());
    return new Promise((resolve, reject) => {
      this.#abandon = reject;
      this.#thread.call<Answer>(ask, transfer).then(resolve, reject);
    });
  }
}

function startIntake(entry: URL): CalledThread<Ask> {
  const noun = 'the thread that takes batches in';
  return new CalledThread(entry, { name: 'intake', noun, lost: threadEnded, gone: threadEnded });
}

/** The lost batch was at most partly stored, and is not a batch yet, so the caller can safely send it again. */
function threadEnded(cause: Error): ServiceError {
  return new ServiceError(
    'overloaded',
    'The part of the service that accepts batches has failed and is being restarted. Nothing was sent; send the batch again in a moment.',
    { cause },
  );
}

/** No one reads this error, but it ends the request. */
function clientGone(): ServiceError {
  return new ServiceError(
    'request_timeout',
    'The client disconnected before the batch was accepted. Nothing was sent.',
  );
}

/**
 * The requests to the thread about one upload, identified by its number. Each waits for the previous answer, except `drop`,
 * which has no answer.
 */
export type Ask =
  | {
      readonly kind: 'openJson';
      readonly upload: number;
      readonly blocks: readonly Uint8Array<ArrayBuffer>[];
      readonly length: number;
      readonly owner: TaskOwner;
      /** Names of the fields to return. */
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
  /** Recipients with faults, other than faults of their texts. */
  readonly faulty: number;
  /** Whether at least one recipient has none. */
  readonly hasSound: boolean;
}

/** A chunk, or the closing summary after the last chunk. */
export type Finished = { readonly chunk: FinishedChunk } | { readonly end: FinishedBatch };
