/** Answers of megabytes: they are written slice by slice, as the client takes them, and other calls go on between two. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { forgoBody } from '../body/unread-body.ts';
import type { RequestContext } from '../request-context.ts';
import { whenEnded } from '../when-ended.ts';
import { headersOfAll, jsonHeaders } from './respond.ts';

type Slices = Iterable<string> | AsyncIterable<string>;

/** What the body of an answer is, in slices that take a millisecond or less each to make. */
export class SlicedJson {
  readonly slices: Slices;

  constructor(slices: Slices) {
    this.slices = slices;
  }
}

const itemsInSlice = 500;

/** `{"name":[…]}` from pages of its items. The first page is there before the answer begins: till then it may be a fault. */
export async function listInSlices(
  name: string,
  pages: AsyncGenerator<readonly unknown[]>,
): Promise<SlicedJson> {
  const first = await pages.next();
  async function* slices(): AsyncGenerator<string> {
    yield `{${JSON.stringify(name)}:[`;
    let separator = '';
    for (let page = first; page.done !== true; page = await pages.next()) {
      for (let from = 0; from < page.value.length; from += itemsInSlice) {
        yield separator + JSON.stringify(page.value.slice(from, from + itemsInSlice)).slice(1, -1);
        separator = ',';
      }
    }
    yield ']}';
  }
  return new SlicedJson(slices());
}

/** Once it has begun, a fault can only break it off: the log says why. */
export function respondInSlices(context: RequestContext, { slices }: SlicedJson, log: Logger): void {
  const { id, request, response } = context;
  forgoBody(request, response);
  response.writeHead(200, [...jsonHeaders, ...headersOfAll(context)]);
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
      if (response.write(slice)) await nextTurn();
      else await Promise.race([once(response, 'drain'), over]);
    }
  } catch (error) {
    // Nobody waits for what the next slice would have been made of, and whoever makes it has been told.
    if (isOver) return;
    throw error;
  }
  response.end();
}
