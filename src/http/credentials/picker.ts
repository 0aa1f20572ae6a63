/**
 * Finds the credentials in the bodies of callers who give them nowhere else. Large bodies go to a separate thread, which is
 * started when first needed and again when it has ended, so that strangers' bodies, however large, take no time from known
 * callers.
 */
import { ServiceError } from '../../foundation/errors.ts';
import { answerCalls, CalledThread } from '../../foundation/thread.ts';
import { type TaskOwner, Turns } from '../../foundation/turns.ts';
import { Body, BodyBlocks } from '../body/body.ts';
import { pickFields } from '../body/json-skim.ts';
import type { JsonObject } from '../parameters/table.ts';
import { credentialFields } from './credentials.ts';

/** Smaller bodies are searched on this thread, in turns with all other tasks. */
const largeBytes = 65_536;

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const entry = new URL(`./worker.${extension}`, import.meta.url);

type Blocks = readonly Uint8Array<ArrayBuffer>[];

/** Concerns one body, by its number; without blocks it means that the body is no longer wanted. */
interface Ask {
  readonly number: number;
  readonly blocks?: Blocks;
  readonly length: number;
  readonly owner: TaskOwner;
}

interface Found {
  readonly fields: JsonObject;
  /** The body itself, handed back. */
  readonly blocks: Blocks;
}

const credentialNames: ReadonlySet<string> = new Set(credentialFields);

export interface Picked {
  readonly fields: JsonObject;
  /** The body, which may have been moved to another thread and back. */
  readonly body: BodyBlocks;
}

export class CredentialPicker {
  readonly #turns: Turns;
  #thread: CalledThread<Ask> | undefined;
  #count = 0;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  /** `owner` is the network that the body came from. */
  async pick(body: BodyBlocks, owner: TaskOwner, closed: AbortSignal): Promise<Picked> {
    if (body.length > largeBytes) return this.#ask(body, owner, closed);
    const picking = pickFields(new Body(body.blocks, body.length), credentialNames);
    return { fields: await this.#turns.run(owner, picking, () => !closed.aborted), body };
  }

  async stop(): Promise<void> {
    await this.#thread?.end();
  }

  async #ask({ blocks, length }: BodyBlocks, owner: TaskOwner, closed: AbortSignal): Promise<Picked> {
    if (closed.aborted) throw clientGone();
    if (this.#thread === undefined || this.#thread.hasFailed) this.#thread = startPicking();
    const thread = this.#thread;
    this.#count += 1;
    const ask = { number: this.#count, length, owner };
    const found = await new Promise<Found>((resolve, reject) => {
      const leave = () => {
        thread.tell(ask);
        reject(clientGone());
      };
      closed.addEventListener('abort', leave, { once: true });
      const transfer = blocks.map(({ buffer }) => buffer);
      const call = thread.call<Found>({ ...ask, blocks }, transfer);
      call.then(resolve, reject).finally(() => closed.removeEventListener('abort', leave));
    });
    return { fields: found.fields, body: BodyBlocks.of(found.blocks, length) };
  }
}

function startPicking(): CalledThread<Ask> {
  const noun = 'the thread that finds credentials';
  return new CalledThread(entry, { name: 'credentials', noun, lost: threadEnded, gone: threadEnded });
}

function threadEnded(cause: Error): ServiceError {
  return new ServiceError(
    'overloaded',
    'The part of the service that finds credentials in large bodies has failed, and is being restarted. Nothing was done; try again in a moment, or give the credentials in a header.',
    { cause },
  );
}

/** The error is never read, but it ends the request. */
function clientGone(): ServiceError {
  return new ServiceError(
    'request_timeout',
    'The client disconnected before it was authenticated. Nothing was done.',
  );
}

/** Runs in the thread: searches bodies, in turns. */
export function runCredentialThread(): void {
  const turns = new Turns();
  const wanted = new Set<number>();
  answerCalls(
    async ({ number, blocks, length, owner }: Ask): Promise<Found> => {
      if (blocks === undefined) {
        wanted.delete(number);
        return { fields: {}, blocks: [] };
      }
      wanted.add(number);
      const picking = pickFields(new Body(blocks, length), credentialNames);
      try {
        const fields = await turns.run(owner, picking, () => wanted.has(number));
        return { fields: { ...fields }, blocks };
      } finally {
        wanted.delete(number);
      }
    },
    ({ blocks }) => blocks.map(({ buffer }) => buffer),
  );
}
