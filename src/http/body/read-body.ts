/** Reads the bytes of a request body, within the limits of its endpoint and of all bodies together. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '../../foundation/errors.ts';
import type { Admission } from '../admission.ts';
import { whenEnded } from '../when-ended.ts';
import { BodyBlocks } from './body.ts';
import { awaitsGoAhead } from './unread-body.ts';

const noBytes = Buffer.alloc(0);

/** Receives the bytes as they arrive. */
export interface BodyCollector<Body> {
  add(chunk: Buffer): void;
  end(): Body;
}

/** A body no larger than this is parsed at once: half a millisecond at worst. */
const smallJsonBytes = 8_192;

/** The most pieces held, however small they are: each takes hundreds of bytes besides its content. */
const maxChunks = 64;

/** A JSON body: one buffer, or blocks if it is not small. */
export class JsonBytes implements BodyCollector<Buffer | BodyBlocks> {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #blocks: BodyBlocks | undefined;
  readonly #declaredBytes: number | undefined;

  constructor(declaredBytes: number | undefined) {
    this.#declaredBytes = declaredBytes;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#blocks === undefined && this.#bytes <= smallJsonBytes) {
      if (this.#chunks.length === maxChunks) this.#chunks = [Buffer.concat(this.#chunks)];
      this.#chunks.push(chunk);
      return;
    }
    this.#blocks ??= blocksOf(this.#chunks, this.#declaredBytes);
    this.#blocks.add(chunk);
  }

  end(): Buffer | BodyBlocks {
    if (this.#blocks !== undefined) return this.#blocks;
    const [first = noBytes] = this.#chunks;
    return this.#chunks.length <= 1 ? first : Buffer.concat(this.#chunks);
  }
}

export function blocksOf(chunks: readonly Buffer[], declaredBytes: number | undefined): BodyBlocks {
  const blocks = new BodyBlocks(declaredBytes);
  for (const chunk of chunks) blocks.add(chunk);
  return blocks;
}

/** Smaller bodies are bounded by the number of connections; only larger ones are counted together. */
const countedFromBytes = 8_192;

export interface BodyReadOptions {
  readonly limitBytes: number;
  readonly admission: Admission;
  /** The sender is not known yet. */
  readonly isUnauthenticated: boolean;
}

/** Calls back with the body, or with the reason for refusing it; never if the client goes away. */
export function readBody<Body>(
  request: IncomingMessage,
  response: ServerResponse,
  reading: BodyReadOptions,
  gather: (declaredBytes: number | undefined) => BodyCollector<Body>,
  done: (body: Body | ServiceError) => void,
): void {
  const declared = request.headers['content-length'];
  if (declared === '0' || (declared === undefined && request.headers['transfer-encoding'] === undefined)) {
    done(gather(0).end());
    return;
  }
  const { limitBytes, admission, isUnauthenticated } = reading;
  const { bodies } = admission;
  const declaredBytes = declared === undefined ? undefined : Number(declared);
  if ((declaredBytes ?? 0) > limitBytes) {
    done(tooLarge(limitBytes));
    return;
  }

  let gathered: BodyCollector<Body> | undefined = gather(declaredBytes);
  let receivedBytes = 0;
  let countedBytes = 0;

  function onData(chunk: Buffer): void {
    receivedBytes += chunk.length;
    if (receivedBytes > limitBytes) refuse(tooLarge(limitBytes));
    else if (receivedBytes > countedFromBytes && !count(receivedBytes - countedBytes)) refuse(noRoom());
    else {
      gathered?.add(chunk);
      if (countedBytes > 0) admission.pacedReads.pause(request);
    }
  }
  function onEnd(): void {
    if (gathered !== undefined) done(gathered.end());
  }
  function refuse(error: ServiceError): void {
    stopGathering();
    done(error);
  }
  function count(bytes: number): boolean {
    if (countedBytes === 0) {
      bodies.begin(response, { declaredBytes, isUnauthenticated });
      whenEnded(request, response, () => {
        stopGathering();
        bodies.release(response);
      });
    }
    countedBytes += bytes;
    return bodies.take(response, bytes);
  }
  function stopGathering(): void {
    request.off('data', onData).off('end', onEnd);
    gathered = undefined;
  }
  if (!request.complete) admission.beginWaiting(response);
  if (awaitsGoAhead(request)) response.writeContinue();
  request.on('data', onData).on('end', onEnd);
}

function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError('body_too_large', { sentence: 'body_size', most: inWords(limitBytes) });
}

function inWords(bytes: number): string {
  return bytes >= 1_048_576 ? `${Math.floor(bytes / 1_048_576)} MiB` : `${bytes} bytes`;
}

function noRoom(): ServiceError {
  return new ServiceError('overloaded', { sentence: 'bodies_full' });
}
