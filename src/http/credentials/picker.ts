/**
 * Finds the credentials in bodies of callers who give them nowhere else. Large ones go to a thread of their own, which is
 * started when it is first needed, and again when it has ended.
 */
import type { Worker } from 'node:worker_threads';
import { arrived } from '../../foundation/crossing-fault.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { startThread } from '../../foundation/thread.ts';
import type { TaskOwner, Turns } from '../../foundation/turns.ts';
import { BodyBlocks } from '../body/blocks.ts';
import { Body } from '../body/body.ts';
import { pickFields } from '../body/json-skim.ts';
import type { JsonObject } from '../parameters/table.ts';
import { type Ask, credentialNames, type Told } from './thread.ts';

/** Less is looked through in this thread, in turns with all others. */
const largeBytes = 65_536;

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const entry = new URL(`./worker.${extension}`, import.meta.url);

export interface Picked {
  readonly fields: JsonObject;
  /** The body, which may have been elsewhere meanwhile. */
  readonly body: BodyBlocks;
}

interface Waiting {
  readonly resolve: (picked: Picked) => void;
  readonly reject: (error: unknown) => void;
  readonly length: number;
}

export class CredentialPicker {
  readonly #turns: Turns;
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | undefined;
  #count = 0;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  /** `owner`: the network of whoever sent it. */
  async pick(body: BodyBlocks, owner: TaskOwner, closed: AbortSignal): Promise<Picked> {
    if (body.length > largeBytes) return this.#ask(body, owner, closed);
    const picking = pickFields(new Body(body.blocks, body.length), credentialNames);
    return { fields: await this.#turns.run(owner, picking, () => !closed.aborted), body };
  }

  async stop(): Promise<void> {
    await this.#thread?.terminate();
  }

  #ask({ blocks, length }: BodyBlocks, owner: TaskOwner, closed: AbortSignal): Promise<Picked> {
    if (closed.aborted) return Promise.reject(clientGone());
    this.#thread ??= this.#start();
    const thread = this.#thread;
    this.#count += 1;
    const number = this.#count;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject, length });
      closed.addEventListener('abort', () => {
        if (!this.#waiting.delete(number)) return;
        thread.postMessage({ number, length, owner } satisfies Ask);
        reject(clientGone());
      });
      const transfer = blocks.map(({ buffer }) => buffer);
      thread.postMessage({ number, blocks, length, owner } satisfies Ask, transfer);
    });
  }

  #start(): Worker {
    const thread = startThread(entry, { name: 'credentials' });
    thread.unref();
    thread.on('message', (told: Told) => this.#settle(told));
    const fail = (cause: Error) => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      for (const { reject } of this.#waiting.values()) reject(threadEnded(cause));
      this.#waiting.clear();
    };
    thread.on('error', fail);
    thread.on('exit', () => fail(new Error('the thread that finds credentials has ended')));
    return thread;
  }

  #settle({ number, fields = {}, blocks = [], fault }: Told): void {
    const waiting = this.#waiting.get(number);
    if (waiting === undefined) return;
    this.#waiting.delete(number);
    if (fault !== undefined) waiting.reject(arrived(fault));
    else waiting.resolve({ fields, body: BodyBlocks.of(blocks, waiting.length) });
  }
}

function threadEnded(cause: Error): ServiceError {
  return new ServiceError(
    'overloaded',
    'The part of the service that finds credentials in large bodies has failed, and is started anew. Nothing was done; try again in a moment, or give the credentials in a header.',
    { cause },
  );
}

/** Nobody will read it, but it ends the request. */
function clientGone(): ServiceError {
  return new ServiceError(
    'request_timeout',
    'The client left before it was known who asks. Nothing was done.',
  );
}
