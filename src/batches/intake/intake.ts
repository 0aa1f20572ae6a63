/**
 * Takes large bodies to the intake thread and asks it for what they hold. The thread is started when it is first needed,
 * and again when it has ended: then the uploads that it had get an error, and nobody else hears of it.
 */
import type { Worker } from 'node:worker_threads';
import { arrived } from '../../foundation/crossing-fault.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { startThread } from '../../foundation/thread.ts';
import type { TaskOwner } from '../../foundation/turns.ts';
import type { BodyBlocks } from '../../http/body/blocks.ts';
import type { JsonObject } from '../../http/parameters/table.ts';
import { listName } from './json-recipients.ts';
import type { BatchRequest } from './judge.ts';
import type { Ask, Finished, Judged, OpenedJson, Told } from './protocol.ts';

// The thread runs the same way as this file: from source, or built.
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const standardEntry = new URL(`./worker.${extension}`, import.meta.url);

export class Intake {
  readonly #entry: URL;
  #thread: Thread | undefined;
  #uploads = 0;

  constructor(entry = standardEntry) {
    this.#entry = entry;
  }

  /** The body's fields of these names; its list of recipients, if it has one, is an Upload. */
  async openJson(
    body: BodyBlocks,
    fields: readonly string[],
    owner: TaskOwner,
    closed: AbortSignal,
  ): Promise<JsonObject> {
    // As for every endpoint, a body of no bytes is an empty object.
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

  /** Nothing is lost: what is not stored yet has not been answered. */
  async stop(): Promise<void> {
    await this.#thread?.end();
  }

  #begin(closed: AbortSignal): Upload {
    this.#thread ??= new Thread(this.#entry, (thread) => {
      if (this.#thread === thread) this.#thread = undefined;
    });
    this.#uploads += 1;
    return new Upload(this.#thread, this.#uploads, closed);
  }
}

type Opening =
  | Omit<Extract<Ask, { kind: 'openJson' }>, 'upload'>
  | Omit<Extract<Ask, { kind: 'openLines' }>, 'upload'>;

/** A body in the thread. It is let go as soon as its request is over, be that because its client has gone. */
export class Upload {
  readonly #thread: Thread;
  readonly #number: number;
  readonly #closed: AbortSignal;

  constructor(thread: Thread, number: number, closed: AbortSignal) {
    this.#thread = thread;
    this.#number = number;
    this.#closed = closed;
  }

  open<Answer>(opening: Opening): Promise<Answer> {
    this.#closed.addEventListener('abort', () => this.#thread.drop(this.#number), { once: true });
    const blocks = opening.blocks.map(({ buffer }) => buffer);
    return this.#ask({ ...opening, upload: this.#number }, blocks);
  }

  judge(request: BatchRequest): Promise<Judged> {
    return this.#ask({ kind: 'judge', upload: this.#number, request });
  }

  /** Once it is judged, and found right. */
  next(): Promise<Finished> {
    return this.#ask({ kind: 'next', upload: this.#number });
  }

  #ask<Answer>(ask: Ask, transfer: ArrayBuffer[] = []): Promise<Answer> {
    if (this.#closed.aborted) return Promise.reject(clientGone());
    return this.#thread.ask(ask, transfer) as Promise<Answer>;
  }
}

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

class Thread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #failure: ServiceError | undefined;

  constructor(entry: URL, ended: (thread: Thread) => void) {
    this.#worker = startThread(entry, { name: 'intake' });
    this.#worker.on('message', (told: Told) => this.#settle(told));
    const fail = (cause: Error) => {
      this.#failure ??= threadEnded(cause);
      ended(this);
      for (const { reject } of this.#waiting.values()) reject(this.#failure);
      this.#waiting.clear();
    };
    this.#worker.on('error', fail);
    this.#worker.on('exit', () => fail(new Error('the thread that takes batches in has ended')));
  }

  ask(ask: Ask, transfer: ArrayBuffer[]): Promise<unknown> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting.set(ask.upload, { resolve, reject });
      this.#worker.postMessage(ask, transfer);
    });
  }

  /** Whoever waits for an answer about it gets none but this. */
  drop(upload: number): void {
    if (this.#failure !== undefined) return;
    this.#waiting.get(upload)?.reject(clientGone());
    this.#waiting.delete(upload);
    this.#worker.postMessage({ kind: 'drop', upload } satisfies Ask);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle({ upload, answer, fault }: Told): void {
    const waiting = this.#waiting.get(upload);
    this.#waiting.delete(upload);
    if (fault === undefined) waiting?.resolve(answer);
    else waiting?.reject(arrived(fault));
  }
}

/** What it had was stored at most in part, and that is no batch: the caller may safely send it again. */
function threadEnded(cause: Error): ServiceError {
  return new ServiceError(
    'overloaded',
    'The part of the service that takes batches in has failed, and is started anew. Nothing was sent; send the batch again in a moment.',
    { cause },
  );
}

/** Nobody will read it, but it ends the request. */
function clientGone(): ServiceError {
  return new ServiceError(
    'request_timeout',
    'The client left before the batch was taken in. Nothing is sent.',
  );
}
