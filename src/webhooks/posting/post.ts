/** Posts to a receiver that may be anything: what it answers is bounded in time and in size, and never repeated. */
import type { BlockList } from 'node:net';
import { Agent, buildConnector, request } from 'undici';
import type { Clock } from '../../foundation/clock.ts';
import { AddressGuard, type ResolveAddresses } from './address-guard.ts';

export interface Posted {
  /** Undefined: nothing was answered. */
  readonly status: number | undefined;
  /** Why nothing was answered, in words of our own. */
  readonly error: string | undefined;
  /** That was connected to. */
  readonly address: string | undefined;
  readonly durationMs: number;
  /** The first 2 kB. */
  readonly answer: string;
  /** After which the receiver asks to be asked again. */
  readonly retryAfterMs: number | undefined;
}

interface PosterOptions {
  readonly clock: Clock;
  /** Networks that may be reached although they are not public. */
  readonly allowed: Pick<BlockList, 'check'>;
  /** Absent: that of the system. */
  readonly resolver?: ResolveAddresses;
  readonly ca?: string;
  readonly timeoutMs?: number;
}

/** For the whole of a post, the look at DNS included. */
const standardTimeoutMs = 10_000;
const maxAnswerBytes = 64 * 1_024;
const keptAnswerBytes = 2_048;
const maxHeaderBytes = 16 * 1_024;

export class Poster {
  readonly #agent: Agent;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  /** By host. */
  readonly #addresses = new Map<string, string>();

  constructor({ clock, allowed, resolver, ca, timeoutMs = standardTimeoutMs }: PosterOptions) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#agent = new Agent({
      connect: guardedConnector(new AddressGuard(allowed, resolver), { timeoutMs, ca }, (host, address) =>
        this.#addresses.set(host, address),
      ),
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
  }

  /** Never throws over what the receiver does. */
  async post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Posted> {
    const startedAt = performance.now();
    const { host } = new URL(url);
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const ended = (rest: Pick<Posted, 'status' | 'error' | 'answer' | 'retryAfterMs'>): Posted => ({
      ...rest,
      address: this.#addresses.get(host),
      durationMs: Math.round(performance.now() - startedAt),
    });
    try {
      const answered = await request(url, { dispatcher: this.#agent, method: 'POST', headers, body, signal });
      const { statusCode: status } = answered;
      const asked = answered.headers['retry-after'];
      return ended({
        status,
        error: undefined,
        retryAfterMs: retryAfterMs(Array.isArray(asked) ? asked[0] : asked, this.#clock.now()),
        answer: await beginningOf(answered.body),
      });
    } catch (error) {
      return ended({ status: undefined, error: faultOf(error), answer: '', retryAfterMs: undefined });
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/**
 * Connects to what the guard has judged, and to nothing else: no name is looked up again on the way. `ca`: PEM; undefined:
 * those that Node trusts. `connected` is told the host as the URL has it, and the address that was connected to.
 */
function guardedConnector(
  guard: AddressGuard,
  { timeoutMs, ca }: { readonly timeoutMs: number; readonly ca: string | undefined },
  connected: (host: string, address: string) => void,
): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, ...(ca === undefined ? {} : { ca }) });
  const connectTo = (options: buildConnector.Options, address: string) =>
    new Promise<Parameters<buildConnector.Callback>>((resolve) => {
      // The name goes on to TLS, which asks the receiver for its certificate.
      connect({ ...options, hostname: address }, (...result) => resolve(result));
    });
  const connectToAny = async (options: buildConnector.Options, callback: buildConnector.Callback) => {
    let last: Error | undefined;
    for (const address of await guard.addressesOf(options.hostname)) {
      const [error, socket] = await connectTo(options, address);
      // Of a failure there is the error alone.
      if (socket) {
        connected(options.host ?? options.hostname, address);
        return callback(null, socket);
      }
      last = error;
    }
    throw last;
  };
  return (options, callback) => {
    connectToAny(options, callback).catch((error: Error) => callback(error, null));
  };
}

/** RFC 9110, section 10.2.3: seconds, or a date. Undefined: neither. */
function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined || header.length > 100) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** The status is what counts: an answer without end is left where it is. */
async function beginningOf(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      if (bytes < keptAnswerBytes) chunks.push(chunk.subarray(0, keptAnswerBytes - bytes));
      bytes += chunk.length;
      if (bytes > maxAnswerBytes) break;
    }
  } catch {
    // It broke off, or took too long: it was answered all the same.
  }
  body.destroy();
  return Buffer.concat(chunks).toString('utf8').replaceAll('\0', '\uFFFD');
}

/** Nothing of the error itself: it may hold what answered. */
function faultOf(error: unknown): string {
  const { code = '', name, cause } = Object(error) as { code?: string; name?: string; cause?: unknown };
  if (code === '' && cause !== undefined) return faultOf(cause);
  if (name === 'TimeoutError' || name === 'AbortError' || code.includes('TIMEOUT'))
    return 'no answer in time';
  if (name === 'HTTPParserError') return 'the answer is not HTTP';
  return faults.find(([codes]) => codes.test(code))?.[1] ?? 'the connection broke';
}

const faults: readonly (readonly [RegExp, string])[] = [
  [/^FORBIDDEN_ADDRESS$/, 'the address is not allowed'],
  [/^ECONNREFUSED$/, 'the connection was refused'],
  [/^(ENOTFOUND|ENODATA|EBADNAME|ESERVFAIL|EREFUSED|EAI_)/, 'the host has no address'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'the host cannot be reached'],
  [/^(CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|ERR_TLS_CERT)/, 'the certificate is not trusted'],
  [/^(EPROTO|ERR_SSL|ERR_TLS)/, 'TLS failed'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'the answer is not HTTP'],
];
