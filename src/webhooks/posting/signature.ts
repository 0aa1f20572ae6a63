/** Signs posts (Standard Webhooks 1.0.0), so that the receiver can verify the sender and the time. */
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface Signable {
  /** The id is the same for each try. */
  readonly id: string;
  /** The time of this try, in milliseconds since the epoch. */
  readonly at: number;
  readonly body: string;
}

/** What the headers of a post mean to its receiver. */
export const describedHeaders = {
  'webhook-id': 'The same at each attempt to post the same events.',
  'webhook-timestamp':
    'When this attempt was made, in seconds since 1970. Refuse what is more than five minutes off.',
  'webhook-signature':
    'As in Standard Webhooks: `v1,` and the base64 of the HMAC-SHA256 of id, timestamp and body, joined by full stops. The key is the secret without `whsec_`, base64-decoded. While a secret is changed there are two signatures, separated by a space. Absent if the webhook has no secret.',
} as const;

type SignedHeader = keyof typeof describedHeaders;

export type SignedHeaders = Readonly<Partial<Record<SignedHeader, string>>>;

/** Includes a signature for each key, because during a rotation the receiver has one of the two. */
export function signedHeaders(signable: Signable, keys: readonly Buffer[]): SignedHeaders {
  const seconds = secondsOf(signable);
  const plain = { 'webhook-id': signable.id, 'webhook-timestamp': seconds };
  if (keys.length === 0) return plain;
  const signatures = keys.map((key) => `v1,${signatureOf(signable, seconds, key).toString('base64')}`);
  return { ...plain, 'webhook-signature': signatures.join(' ') };
}

function secondsOf({ at }: Signable): string {
  return String(Math.floor(at / 1_000));
}

function signatureOf({ id, body }: Signable, seconds: string, key: Buffer): Buffer {
  return createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest();
}

/** The clock difference that receivers accept. */
const toleranceMs = 5 * 60_000;

/** Returns what is wrong with a received post, or undefined if it is what was signed. */
export function faultOfSigned(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  body: string,
  { key, now }: { readonly key: Buffer; readonly now: number },
): string | undefined {
  const [id, seconds, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    String(headers[name] ?? ''),
  ) as [string, string, string];
  if (id === '' || signatures === '') return 'not signed';
  const at = /^\d{1,12}$/.test(seconds) ? Number(seconds) * 1_000 : Number.NaN;
  if (!(Math.abs(now - at) <= toleranceMs)) return 'the timestamp is more than five minutes off';
  const wanted = signatureOf({ id, at, body }, seconds, key);
  const given = signatures.split(' ').map((one) => Buffer.from(one.replace(/^v1,/, ''), 'base64'));
  const isRight = given.some((one) => one.length === wanted.length && timingSafeEqual(one, wanted));
  return isRight ? undefined : 'the signature belongs to another secret or another body';
}
