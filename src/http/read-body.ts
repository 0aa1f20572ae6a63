/** Gathers the bytes of a request's body, within the limit of its endpoint and of all bodies together. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '../foundation/errors.ts';
import type { Admission } from './admission.ts';

const noBytes = Buffer.alloc(0);

/** Smaller bodies are bounded by the number of connections; only larger ones are counted together. */
const countedFromBytes = 8_192;

/** Calls back with the bytes, or with the reason why they are not wanted; never when the sender goes away. */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limitBytes: number,
  admission: Admission,
  done: (body: Buffer | ServiceError) => void,
): void {
  const declared = request.headers['content-length'];
  if (declared === '0' || (declared === undefined && request.headers['transfer-encoding'] === undefined)) {
    done(noBytes);
    return;
  }
  if (Number(declared) > limitBytes) {
    done(tooLarge(limitBytes));
    return;
  }

  const chunks: Buffer[] = [];
  let receivedBytes = 0;
  let countedBytes = 0;

  function onData(chunk: Buffer): void {
    receivedBytes += chunk.length;
    if (receivedBytes > limitBytes) refuse(tooLarge(limitBytes));
    else if (receivedBytes > countedFromBytes && !count(receivedBytes - countedBytes)) refuse(noRoom());
    else chunks.push(chunk);
  }
  function onEnd(): void {
    const [first = noBytes] = chunks;
    done(chunks.length <= 1 ? first : Buffer.concat(chunks, receivedBytes));
  }
  function refuse(error: ServiceError): void {
    request.off('data', onData).off('end', onEnd);
    chunks.length = 0;
    // Without a reader the stream would stop, and the sender might never come to read the answer.
    request.resume();
    done(error);
  }
  function count(bytes: number): boolean {
    if (!admission.takeBodyBytes(bytes)) return false;
    if (countedBytes === 0) response.once('close', () => admission.releaseBodyBytes(countedBytes));
    countedBytes += bytes;
    return true;
  }
  admission.beginReceiving(response);
  request.on('data', onData).on('end', onEnd);
}

function tooLarge(limitBytes: number): ServiceError {
  const limit = limitBytes >= 1_048_576 ? `${Math.floor(limitBytes / 1_048_576)} MiB` : `${limitBytes} bytes`;
  return new ServiceError('body_too_large', `The body is larger than the ${limit} that this endpoint takes.`);
}

function noRoom(): ServiceError {
  return new ServiceError(
    'overloaded',
    'The service holds as many large bodies as it can. Nothing was done; try again in a moment.',
  );
}
