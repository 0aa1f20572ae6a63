/** Responses of megabytes, written slice by slice as the client reads them, with other calls served in between. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type CsvRow, writeCsvRows } from '../../wire/csv.ts';
import { forgoBody } from '../body/unread-body.ts';
import type { RequestContext } from '../request-context.ts';
import { whenEnded } from '../when-ended.ts';
import { languageOf, type Replacer, replacerFor } from './in-language.ts';
import { type HeaderPairs, headersOfAll, jsonHeaders } from './respond.ts';

type Slices = Iterable<string> | AsyncIterable<string>;

/** The body of a response, in slices that each take a millisecond or less to produce. */
export class SlicedAnswer {
  readonly headers: HeaderPairs;
  /** Begins the body; JSON is written with the replacer. */
  readonly begin: (replacer: Replacer) => Slices;

  constructor(headers: HeaderPairs, begin: (replacer: Replacer) => Slices) {
    this.headers = headers;
    this.begin = begin;
  }
}

/**
 * Once the response has begun, a fault can only break it off; the log says why. `mayRead` is asked before each slice, and rejects
 * if the client may read no more.
 */
export function respondInSlices(
  context: RequestContext,
  { headers, begin }: SlicedAnswer,
  log: Logger,
  mayRead: () => Promise<void>,
): void {
  const { id, request, response } = context;
  forgoBody(request, response);
  response.writeHead(200, [...headers, ...headersOfAll(context)]);
  write(request, response, begin(replacerFor(languageOf(request))), mayRead).catch((err: Error) => {
    log.warn({ requestId: id, err }, 'an answer was cut off partway');
    response.destroy(err);
  });
}

async function write(
  request: IncomingMessage,
  response: ServerResponse,
  slices: Slices,
  mayRead: () => Promise<void>,
): Promise<void> {
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
      await mayRead();
      // A client that has closed its sending side may still want the response or be gone: only writing would show which, and
      // here nothing is written.
      if (slice === '' && request.socket.readableEnded) return void response.destroy();
      if (response.write(slice)) await nextTurn();
      else await Promise.race([once(response, 'drain'), over]);
      if (isOver) return;
    }
  } catch (error) {
    // The content of the next slice is no longer needed, and its producer has been notified.
    if (isOver) return;
    throw error;
  }
  response.end();
}

/** Lets spreadsheets recognize a file as UTF-8. */
const byteOrderMark = '\u{feff}';

/** Sends a list as a CSV file. */
export async function csvInSlices(
  fileName: string,
  head: CsvRow,
  pages: AsyncGenerator<readonly CsvRow[]>,
): Promise<SlicedAnswer> {
  const headers = fileHeaders(fileName, 'text/csv; charset=utf-8');
  return fileInSlices(headers, pages, writeCsvRows, byteOrderMark + writeCsvRows([head]));
}

/** Sends a list as a file of JSON lines, each of which is a JSON text of its own. */
export async function linesInSlices(
  fileName: string,
  pages: AsyncGenerator<readonly object[]>,
): Promise<SlicedAnswer> {
  const headers = fileHeaders(fileName, 'application/jsonl; charset=utf-8');
  return fileInSlices(headers, pages, (items, replacer) =>
    items.map((item) => `${JSON.stringify(item, replacer)}\n`).join(''),
  );
}

const rowsInSlice = 250;

/**
 * The first page is read before the response begins, so until then a fault can be reported. When the client leaves, no
 * further page is read.
 */
async function fileInSlices<Item>(
  headers: HeaderPairs,
  pages: AsyncGenerator<readonly Item[]>,
  write: (items: readonly Item[], replacer: Replacer) => string,
  head = '',
): Promise<SlicedAnswer> {
  const first = await pages.next();
  async function* slices(replacer: Replacer): AsyncGenerator<string> {
    if (head !== '') yield head;
    try {
      for (let page = first; page.done !== true; page = await pages.next()) {
        // An empty slice gives a chance to notice that the client has gone.
        if (page.value.length === 0) yield '';
        for (let from = 0; from < page.value.length; from += rowsInSlice)
          yield write(page.value.slice(from, from + rowsInSlice), replacer);
      }
    } finally {
      await pages.return(undefined);
    }
  }
  return new SlicedAnswer(headers, slices);
}

/** RFC 6266: the name in ASCII, and in full for clients that support it. */
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

/**
 * Sends `{"name":[…]}` from pages of its items. The first page is read before the response begins, so until then a fault can
 * be reported.
 */
export async function listInSlices(
  name: string,
  pages: AsyncGenerator<readonly unknown[]>,
): Promise<SlicedAnswer> {
  const first = await pages.next();
  async function* slices(replacer: Replacer): AsyncGenerator<string> {
    yield `{${JSON.stringify(name)}:[`;
    let separator = '';
    for (let page = first; page.done !== true; page = await pages.next()) {
      for (let from = 0; from < page.value.length; from += itemsInSlice) {
        yield separator + JSON.stringify(page.value.slice(from, from + itemsInSlice), replacer).slice(1, -1);
        separator = ',';
      }
    }
    yield ']}';
  }
  return new SlicedAnswer(jsonHeaders, slices);
}

/** Sends an object whose last fields are long lists. */
export function objectInSlices(
  facts: object,
  lists: Readonly<Record<string, Iterable<unknown>>>,
): SlicedAnswer {
  function* slices(replacer: Replacer): Generator<string> {
    yield JSON.stringify(facts, replacer).slice(0, -1);
    for (const [name, items] of Object.entries(lists)) {
      yield `,${JSON.stringify(name)}:[`;
      let separator = '';
      for (const some of inGroups(items, rowsInSlice)) {
        yield separator + JSON.stringify(some, replacer).slice(1, -1);
        separator = ',';
      }
      yield ']';
    }
    yield '}';
  }
  return new SlicedAnswer(jsonHeaders, slices);
}

function* inGroups<Item>(items: Iterable<Item>, most: number): Generator<readonly Item[]> {
  let group: Item[] = [];
  for (const item of items) {
    group.push(item);
    if (group.length < most) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** Sends a page to be read in a browser. `policy` is its `Content-Security-Policy`. */
export function pageInSlices(policy: string, slices: Iterable<string>): SlicedAnswer {
  const headers = ['content-type', 'text/html; charset=utf-8', 'content-security-policy', policy];
  return new SlicedAnswer(headers, () => slices);
}
