/**
 * Judges whether a call really comes from the carrier: by a keyed hash (RFC 2104) or an Ed25519 signature (RFC 8032) over what
 * was sent. What is signed, and how it is written, each carrier decides for itself.
 */
import { createHash, createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';

export interface SignedCall {
  /** The full address, as the carrier knows it. */
  readonly url: string;
  readonly body: string;
  /** The fields of a form, in the order in which they came; empty for other bodies. */
  readonly form: URLSearchParams;
  readonly query: URLSearchParams;
  header(name: string): string | undefined;
}

export interface SignatureSettings {
  /** A hash with a key (`sha1`, `sha256`, `sha512`), or a signature by a key pair. */
  readonly hmac?: 'sha1' | 'sha256' | 'sha512';
  readonly ed25519?: boolean;
  readonly header: string;
  readonly encoding: 'hex' | 'base64';
  /** What is signed: `{body}`, `{url}`, and headers by their names in braces. */
  readonly over: string;
  /** A header with the time of the call in Unix seconds; calls that are older or newer than five minutes are refused. */
  readonly timestamp?: string;
}

const toleranceMs = 300_000;
const place = /\{([A-Za-z][A-Za-z0-9-]{0,63})\}/g;

/** Whether the call is signed with this key. */
export function isSigned(call: SignedCall, settings: SignatureSettings, key: string, now: number): boolean {
  const given = call.header(settings.header);
  if (given === undefined || !isRecent(call, settings.timestamp, now)) return false;
  const signed = settings.over.replace(place, (_, name: string) => {
    if (name === 'body') return call.body;
    return name === 'url' ? call.url : (call.header(name) ?? '');
  });
  if (settings.ed25519 === true) return isSignedByPair(signed, Buffer.from(given, settings.encoding), key);
  return isEqual(
    createHmac(settings.hmac ?? 'sha256', key)
      .update(signed)
      .digest(),
    Buffer.from(given, settings.encoding),
  );
}

function isRecent(call: SignedCall, header: string | undefined, now: number): boolean {
  if (header === undefined) return true;
  const seconds = Number(call.header(header) ?? Number.NaN);
  return Math.abs(now - seconds * 1_000) <= toleranceMs;
}

function isSignedByPair(signed: string, signature: Buffer, publicKey: string): boolean {
  // The key is 32 bytes in base64; JWK (RFC 8037) is the form in which Node reads it.
  const x = Buffer.from(publicKey, 'base64').toString('base64url');
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, Buffer.from(signed), key, signature);
  } catch {
    // The key or the signature has another length.
    return false;
  }
}

/** `X-Twilio-Signature`: the address, then the fields of the form by name, each with its distinct values in order. */
export function isSignedByTwilio(call: SignedCall, authToken: string): boolean {
  const given = call.header('x-twilio-signature');
  if (given === undefined || !hasStatedBody(call)) return false;
  const names = [...new Set(call.form.keys())].sort();
  const fields = names.flatMap((name) =>
    [...new Set(call.form.getAll(name))].sort().map((value) => name + value),
  );
  return [call.url, otherPort(call.url)].some((url) =>
    isEqual(
      createHmac('sha1', authToken)
        .update(url + fields.join(''))
        .digest(),
      Buffer.from(given, 'base64'),
    ),
  );
}

/** A body that is no form is signed by its hash in the address. */
function hasStatedBody({ query, body }: SignedCall): boolean {
  const stated = query.get('bodySHA256');
  return stated === null || stated === createHash('sha256').update(body).digest('hex');
}

/** Twilio names the standard port of the scheme in some addresses and leaves it out in others. */
function otherPort(url: string): string {
  const [whole, scheme = '', host = '', port] = /^(https?):\/\/([^/?#:]+)(:\d+)?/.exec(url) ?? [''];
  const standard = scheme === 'https' ? ':443' : ':80';
  const other = port === undefined ? standard : port === standard ? '' : port;
  return `${scheme}://${host}${other}${url.slice(whole.length)}`;
}

/** Vonage's `sig`: all other parameters by name, in which `&` and `=` are replaced by `_`. */
export function isSignedByVonage(
  call: SignedCall,
  secret: string,
  method: 'md5hash' | 'md5' | 'sha1' | 'sha256' | 'sha512',
): boolean {
  const fields = new Map([...call.query, ...call.form, ...jsonFields(call.body)]);
  const given = fields.get('sig');
  if (given === undefined) return false;
  const signed = [...fields]
    .filter(([name]) => name !== 'sig')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `&${name}=${value.replaceAll(/[&=]/g, '_')}`)
    .join('');
  const hash =
    method === 'md5hash'
      ? createHash('md5').update(signed + secret)
      : createHmac(method, secret).update(signed);
  return isEqual(hash.digest(), Buffer.from(given, 'hex'));
}

function jsonFields(body: string): readonly (readonly [string, string])[] {
  if (!body.startsWith('{')) return [];
  try {
    return Object.entries(JSON.parse(body) as object).map(([name, value]) => [name, String(value)] as const);
  } catch {
    return [];
  }
}

function isEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
