/** One request to a carrier and its answer, and whether the carrier may have read the request when there is none. */
import type { Dispatcher } from 'undici';

export interface HttpRequest {
  readonly method: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  /** The names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface HttpAnswer {
  readonly kind: 'answered';
  readonly status: number;
  readonly contentType: string;
  /** The header `Retry-After` as it was sent. */
  readonly retryAfter: string | undefined;
  readonly body: string;
}

export type Exchange =
  | HttpAnswer
  /** Nothing was written: no connection could be made, or `mayWrite` forbade it (`wasHeldBack`). */
  | { readonly kind: 'unwritten'; readonly error: Error; readonly wasHeldBack: boolean }
  /** The request was written at least in part, and no whole answer came. */
  | { readonly kind: 'cut'; readonly error: Error; readonly isLate: boolean };

export interface ExchangeOptions {
  /** How long it may take until the request can be written, in milliseconds. */
  readonly connectMs: number;
  /** How long the answer may take once the request is being written, in milliseconds. */
  readonly answerMs: number;
  /** How much of an answer is read; a longer one is cut off. */
  readonly maxBytes: number;
  /** Asked at the moment of writing. */
  readonly mayWrite: () => boolean;
  /** Aborting it cuts the exchange. */
  readonly signal: AbortSignal;
}

/** Never rejects: whatever a carrier does is a value. */
export function exchange(
  dispatcher: Dispatcher,
  { method, origin, path, headers, body }: HttpRequest,
  { connectMs, answerMs, maxBytes, mayWrite, signal }: ExchangeOptions,
): Promise<Exchange> {
  return new Promise((resolve) => {
    let isSettled = false;
    let wasHeldBack = false;
    let isLate = false;
    let overdue: NodeJS.Immediate | undefined;
    let cut: ((error: Error) => void) | undefined;
    let answer: Omit<HttpAnswer, 'body'> | undefined;
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (result: Exchange) => {
      isSettled = true;
      clearTimeout(timer);
      clearImmediate(overdue);
      signal.removeEventListener('abort', stop);
      resolve(result);
    };
    const failed = (error: Error) =>
      end(cut === undefined ? { kind: 'unwritten', error, wasHeldBack } : { kind: 'cut', error, isLate });
    const giveUp = (error: Error) => (cut === undefined ? failed(error) : cut(error));
    const stop = () => giveUp(new Error('the carrier was stopped'));
    // Connections by a proxy have no time-out of their own that we could set. The pool lets go of one only after minutes.
    let timer = setTimeout(() => giveUp(new Error(`no connection within ${connectMs} ms`)), connectMs);
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        wasHeldBack = !isSettled && !mayWrite();
        if (isSettled || wasHeldBack) return controller.abort(new Error('it may no longer be sent'));
        cut = (error) => controller.abort(error);
        clearTimeout(timer);
        const late = () => {
          isLate = true;
          giveUp(new Error(`no answer within ${answerMs} ms`));
        };
        // What arrived while this process was held up is read before immediates run.
        timer = setTimeout(() => {
          overdue = setImmediate(late);
        }, answerMs);
      },
      onResponseStart(_, status, received) {
        answer = {
          kind: 'answered',
          status,
          contentType: firstOf(received['content-type']) ?? '',
          retryAfter: firstOf(received['retry-after']),
        };
      },
      onResponseData(controller, chunk) {
        bytes += chunk.length;
        if (bytes <= maxBytes) chunks.push(chunk);
        else controller.abort(new Error(`the answer is longer than ${maxBytes} bytes`));
      },
      onResponseEnd() {
        const text = Buffer.concat(chunks).toString('utf8');
        if (answer === undefined) failed(new Error('the answer has no status'));
        else end({ ...answer, body: text });
      },
      onResponseError(_, error) {
        failed(error);
      },
    };
    signal.addEventListener('abort', stop);
    if (signal.aborted) return stop();
    try {
      dispatcher.dispatch(
        { origin, method: method as Dispatcher.HttpMethod, path, headers, body: body ?? null },
        handler,
      );
    } catch (error) {
      failed(error as Error);
    }
  });
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
