/** Posts once to an untrusted receiver, with limits on the time and the size of its response. */

import type { BlockList } from 'node:net';
import type { Agent, buildConnector } from 'undici';
import type { Clock } from '../../foundation/clock.ts';
import { type SentenceName, storedReason } from '../../foundation/sentences.ts';
import { AddressGuard, type ResolveAddresses } from './address-guard.ts';

export interface Posted {
  /** Undefined if there was no response. */
  readonly status: number | undefined;
  /** The stored reason why there was no answer. */
  readonly error: string | undefined;
  /** The address that was connected to. */
  readonly address: string | undefined;
  readonly durationMs: number;
  /** The first 2 kB of the response, unless more was asked for. */
  readonly answer: string;
  /** How long the receiver asks us to wait before the next try. */
  readonly retryAfterMs: number | undefined;
}

interface PosterOptions {
  readonly clock: Clock;
  /** Networks that may be reached even though they are not public. */
  readonly allowed: Pick<BlockList, 'check'>;
  /** The system's resolver by default. */
  readonly resolver?: ResolveAddresses;
  /** In PEM; Node's trusted CAs by default. */
  readonly ca?: string;
  readonly timeoutMs?: number;
}

/** A call other than a post of an event. */
interface Call {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How much of the response is returned. */
  readonly keptBytes?: number;
}

/** Time limit for a whole post, including the DNS look-up. */
const standardTimeoutMs = 10_000;
const maxAnswerBytes = 64 * 1_024;
const keptAnswerBytes = 2_048;
const maxHeaderBytes = 16 * 1_024;

export class Poster {
  readonly #options: PosterOptions;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  /** Made for the first post, as the package is loaded: many servers never make one. */
  #agent: Agent | undefined;
  /** The address last connected to, by host. */
  readonly #addresses = new Map<string, string>();

  constructor(options: PosterOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#timeoutMs = options.timeoutMs ?? standardTimeoutMs;
  }

  /** Never throws because of the receiver, only if the package cannot be loaded. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Posted> {
    return this.call({ method: 'POST', url, headers, body });
  }

  /** The same for any call. */
  async call({ url, keptBytes = keptAnswerBytes, ...rest }: Call): Promise<Posted> {
    const undici = await import('undici');
    this.#agent ??= this.#makeAgent(undici);
    const dispatcher = this.#agent;
    const startedAt = performance.now();
    const { host } = new URL(url);
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const ended = (posted: Pick<Posted, 'status' | 'error' | 'answer' | 'retryAfterMs'>): Posted => ({
      ...posted,
      address: this.#addresses.get(host),
      durationMs: Math.round(performance.now() - startedAt),
    });
    try {
      const answered = await undici.request(url, { dispatcher, ...rest, signal });
      const { statusCode: status } = answered;
      const asked = answered.headers['retry-after'];
      return ended({
        status,
        error: undefined,
        retryAfterMs: retryAfterMs(Array.isArray(asked) ? asked[0] : asked, this.#clock.now()),
        answer: await beginningOf(answered.body, keptBytes),
      });
    } catch (error) {
      return ended({
        status: undefined,
        error: storedReason({ sentence: faultOf(error) }),
        answer: '',
        retryAfterMs: undefined,
      });
    }
  }

  async close(): Promise<void> {
    await this.#agent?.destroy();
  }

  #makeAgent({ Agent, buildConnector }: typeof import('undici')): Agent {
    const { allowed, resolver, ca } = this.#options;
    const timeoutMs = this.#timeoutMs;
    const connect = buildConnector({ timeout: timeoutMs, ...(ca === undefined ? {} : { ca }) });
    return new Agent({
      connect: guardedConnector(connect, new AddressGuard(allowed, resolver), (host, address) =>
        this.#addresses.set(host, address),
      ),
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
  }
}

/**
 * Connects only to addresses that the guard has checked, without another name look-up on the way. `connected` receives the
 * host as in the URL, and the address that was connected to.
 */
function guardedConnector(
  connect: buildConnector.connector,
  guard: AddressGuard,
  connected: (host: string, address: string) => void,
): buildConnector.connector {
  const connectTo = (options: buildConnector.Options, address: string) =>
    new Promise<Parameters<buildConnector.Callback>>((resolve) => {
      // The host name is still passed to TLS, which asks the receiver for its certificate.
      connect({ ...options, hostname: address }, (...result) => resolve(result));
    });
  const connectToAny = async (options: buildConnector.Options, callback: buildConnector.Callback) => {
    let last: Error | undefined;
    for (const address of await guard.addressesOf(options.hostname)) {
      const [error, socket] = await connectTo(options, address);
      // If the connection fails, only the error is given.
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

/** RFC 9110, section 10.2.3: seconds or a date. Undefined if it is neither. */
function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined || header.length > 100) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** Only the status matters, so an endless response is abandoned. */
async function beginningOf(
  body: AsyncIterable<Buffer> & { destroy(): unknown },
  keptBytes: number,
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      if (bytes < keptBytes) chunks.push(chunk.subarray(0, keptBytes - bytes));
      bytes += chunk.length;
      if (bytes > Math.max(maxAnswerBytes, keptBytes)) break;
    }
  } catch {
    // The response broke off or took too long, but it still counts as a response.
  }
  body.destroy();
  return Buffer.concat(chunks).toString('utf8').replaceAll('\0', '\uFFFD');
}

type PostFault = Extract<SentenceName, `post_${string}`>;

/** No text of the error itself is used, because it may contain part of the response. */
function faultOf(error: unknown): PostFault {
  const { code = '', name, cause } = Object(error) as { code?: string; name?: string; cause?: unknown };
  if (code === '' && cause !== undefined) return faultOf(cause);
  if (name === 'TimeoutError' || name === 'AbortError' || code.includes('TIMEOUT')) return 'post_timeout';
  if (name === 'HTTPParserError') return 'post_not_http';
  return faults.find(([codes]) => codes.test(code))?.[1] ?? 'post_broke';
}

const faults: readonly (readonly [RegExp, PostFault])[] = [
  [/^FORBIDDEN_ADDRESS$/, 'post_forbidden'],
  [/^ECONNREFUSED$/, 'post_refused'],
  [/^(ENOTFOUND|ENODATA|EBADNAME|ESERVFAIL|EREFUSED|EAI_)/, 'post_no_address'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'post_unreachable'],
  [/^(CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|ERR_TLS_CERT)/, 'post_certificate'],
  [/^(EPROTO|ERR_SSL|ERR_TLS)/, 'post_tls'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'post_not_http'],
];
