/** Answers of megabytes: they are written slice by slice, as the client takes them, and other calls go on between two. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { forgoBody } from '../body/unread-body.ts';
import type { RequestContext } from '../request-context.ts';
import { whenEnded } from '../when-ended.ts';
import { type HeaderPairs, headersOfAll } from './respond.ts';

type Slices = Iterable<string> | AsyncIterable<string>;

/** What the body of an answer is, in slices that take a millisecond or less each to make. */
export class SlicedAnswer {
  readonly headers: HeaderPairs;
  readonly slices: Slices;

  constructor(headers: HeaderPairs, slices: Slices) {
    this.headers = headers;
    this.slices = slices;
  }
}

/** Once it has begun, a fault can only break it off: the log says why. */
export function respondInSlices(
  context: RequestContext,
  { headers, slices }: SlicedAnswer,
  log: Logger,
): void {
  const { id, request, response } = context;
  forgoBody(request, response);
  response.writeHead(200, [...headers, ...headersOfAll(context)]);
  write(request, response, slices).catch((err: Error) => {
    log.warn({ requestId: id, err }, 'an answer broke off half way');
    response.destroy(err);
  });
}

async function write(request: IncomingMessage, response: ServerResponse, slices: Slices): Promise<void> {
  let isOver = false;
  const over = new Promise<void>((resolve) =>
    whenEnded(request, response, () => {
      isOver = true;
      resolve();
    }),
  );
  try {
    for await (const slice of slices) {
      if (isOver || response.destroyed) return;
      // Who sends no more may still want the answer, or have gone: only what is written tells, and here nothing is.
      if (slice === '' && request.socket.readableEnded) return void response.destroy();
      if (response.write(slice)) await nextTurn();
      else await Promise.race([once(response, 'drain'), over]);
      if (isOver) return;
    }
  } catch (error) {
    // Nobody waits for what the next slice would have been made of, and whoever makes it has been told.
    if (isOver) return;
    throw error;
  }
  response.end();
}
