/** One request to a carrier and its answer, and whether the carrier may have read the request when there is none. */
import type { Dispatcher } from 'undici';

export interface HttpRequest {
  readonly method: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  /** By lower-case names. */
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
  /** Nothing was written: no connection could be made, or `mayWrite` forbade it. */
  | { readonly kind: 'unwritten'; readonly error: Error }
  /** The request was written at least in part, and no whole answer came. */
  | { readonly kind: 'cut'; readonly error: Error; readonly isLate: boolean };

export interface ExchangeOptions {
  /** How long the answer may take once the request is being written, in milliseconds. */
  readonly answerMs: number;
  /** Asked at the moment of writing. */
  readonly mayWrite: () => boolean;
  /** Aborting it cuts the exchange. */
  readonly signal: AbortSignal;
}

/** More of an answer is not read. */
const maxAnswerBytes = 64 * 1_024;

/** Never rejects: whatever a carrier does is a value. */
export function exchange(
  dispatcher: Dispatcher,
  { method, origin, path, headers, body }: HttpRequest,
  { answerMs, mayWrite, signal }: ExchangeOptions,
): Promise<Exchange> {
  return new Promise((resolve) => {
    let isWritten = false;
    let isLate = false;
    let timer: NodeJS.Timeout | undefined;
    let overdue: NodeJS.Immediate | undefined;
    let stop: (() => void) | undefined;
    let answer: Omit<HttpAnswer, 'body'> | undefined;
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (result: Exchange) => {
      clearTimeout(timer);
      clearImmediate(overdue);
      if (stop !== undefined) signal.removeEventListener('abort', stop);
      resolve(result);
    };
    const failed = (error: Error) =>
      end(isWritten ? { kind: 'cut', error, isLate } : { kind: 'unwritten', error });
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        if (signal.aborted || !mayWrite()) {
          controller.abort(new Error('it may no longer be sent'));
          return;
        }
        isWritten = true;
        stop = () => controller.abort(new Error('the carrier was stopped'));
        signal.addEventListener('abort', stop);
        const late = () => {
          isLate = true;
          controller.abort(new Error(`no answer within ${answerMs} ms`));
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
        if (bytes <= maxAnswerBytes) chunks.push(chunk);
        else controller.abort(new Error(`the answer is longer than ${maxAnswerBytes} bytes`));
      },
      onResponseEnd() {
        const body = Buffer.concat(chunks).toString('utf8');
        if (answer === undefined) failed(new Error('the answer has no status'));
        else end({ ...answer, body });
      },
      onResponseError(_, error) {
        failed(error);
      },
    };
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
