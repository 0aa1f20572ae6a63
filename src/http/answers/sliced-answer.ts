/** Answers of megabytes: they are written slice by slice, as the client takes them, and other calls go on between two. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type CsvRow, writeCsvRows } from '../../wire/csv.ts';
import { forgoBody } from '../body/unread-body.ts';
import type { RequestContext } from '../request-context.ts';
import { whenEnded } from '../when-ended.ts';
import { type HeaderPairs, headersOfAll, jsonHeaders } from './respond.ts';

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

/** By which spreadsheets know that a file is UTF-8. */
const byteOrderMark = '\u{feff}';

/** A list as a CSV file. */
export async function csvInSlices(
  fileName: string,
  head: CsvRow,
  pages: AsyncGenerator<readonly CsvRow[]>,
): Promise<SlicedAnswer> {
  const headers = fileHeaders(fileName, 'text/csv; charset=utf-8');
  return fileInSlices(headers, pages, writeCsvRows, byteOrderMark + writeCsvRows([head]));
}

/** A list as a file of JSON lines: each is a JSON text of its own. */
export async function linesInSlices(
  fileName: string,
  pages: AsyncGenerator<readonly object[]>,
): Promise<SlicedAnswer> {
  const headers = fileHeaders(fileName, 'application/jsonl; charset=utf-8');
  return fileInSlices(headers, pages, (items) => items.map((item) => `${JSON.stringify(item)}\n`).join(''));
}

const rowsInSlice = 250;

/**
 * The first page is there before the answer begins: till then it may be a fault. When the client goes, no further page is
 * asked for.
 */
async function fileInSlices<Item>(
  headers: HeaderPairs,
  pages: AsyncGenerator<readonly Item[]>,
  write: (items: readonly Item[]) => string,
  head = '',
): Promise<SlicedAnswer> {
  const first = await pages.next();
  async function* slices(): AsyncGenerator<string> {
    if (head !== '') yield head;
    try {
      for (let page = first; page.done !== true; page = await pages.next()) {
        // Between slices it is seen that the client has gone.
        if (page.value.length === 0) yield '';
        for (let from = 0; from < page.value.length; from += rowsInSlice)
          yield write(page.value.slice(from, from + rowsInSlice));
      }
    } finally {
      await pages.return(undefined);
    }
  }
  return new SlicedAnswer(headers, slices());
}

/** RFC 6266: its name in ASCII, and as it is for all who know more. */
function fileHeaders(fileName: string, contentType: string): HeaderPairs {
  const plain = fileName.replace(/[^\w .-]/g, '_');
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return [
    ...['content-type', contentType],
    ...['content-disposition', `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`],
  ];
}

const itemsInSlice = 500;

/** `{"name":[…]}` from pages of its items. The first page is there before the answer begins: till then it may be a fault. */
export async function listInSlices(
  name: string,
  pages: AsyncGenerator<readonly unknown[]>,
): Promise<SlicedAnswer> {
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
  return new SlicedAnswer(jsonHeaders, slices());
}
