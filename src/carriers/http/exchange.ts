/** One request to a carrier and its answer, and whether the carrier may have read the request when there is none. */
import type { Dispatcher } from 'undici';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** The address, without its origin. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export type Exchange =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly contentType: string;
      readonly retryAfter: string | undefined;
      readonly body: string;
    }
  /** Nothing was written: no connection could be made, or it ended before. */
  | { readonly kind: 'unwritten'; readonly error: Error }
  /** The request was written at least in part, and no whole answer came. */
  | { readonly kind: 'cut'; readonly error: Error };

/** More of an answer is not read. */
const maxAnswerBytes = 64 * 1_024;

/** Never throws because of the carrier. */
export function exchange(
  dispatcher: Dispatcher,
  origin: string,
  { method, path, headers, body }: HttpRequest,
): Promise<Exchange> {
  return new Promise((resolve) => {
    let isWritten = false;
    let status = 0;
    let answered: Readonly<Record<string, string | string[] | undefined>> = {};
    const chunks: Buffer[] = [];
    let bytes = 0;
    dispatcher.dispatch(
      { origin, method, path, headers, body: body ?? null },
      {
        onRequestStart() {
          isWritten = true;
        },
        onResponseStart(_, statusCode, responseHeaders) {
          status = statusCode;
          answered = responseHeaders;
        },
        onResponseData(controller, chunk) {
          bytes += chunk.length;
          if (bytes <= maxAnswerBytes) chunks.push(chunk);
          else controller.abort(new Error(`its answer is longer than ${maxAnswerBytes} bytes`));
        },
        onResponseEnd() {
          resolve({
            kind: 'answered',
            status,
            contentType: firstOf(answered['content-type']) ?? '',
            retryAfter: firstOf(answered['retry-after']),
            body: Buffer.concat(chunks).toString('utf8'),
          });
        },
        onResponseError(_, error) {
          resolve({ kind: isWritten ? 'cut' : 'unwritten', error });
        },
      },
    );
  });
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
