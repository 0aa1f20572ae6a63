/**
 * Judges whether a call really comes from the carrier: by a keyed hash (RFC 2104), an Ed25519 signature (RFC 8032) or a signed
 * token (RFC 7519) over what was sent. What is signed, and how it is written, each carrier decides for itself. Nothing here
 * throws because of a call.
 */
import { createHash, createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import type { CarrierCall } from './call.ts';
import { isFormType } from './reading.ts';
import type { SignatureSettings, SubmitSettings, vonageHashes } from './settings.ts';

/** The keys by their names in the settings, the password among them. */
export type Keys = Readonly<Record<string, string>>;

type Described = Exclude<SignatureSettings, string>;
type Schemed = Extract<Described, { readonly scheme: unknown }>;
type Keyed = Exclude<Described, Schemed>;

/** A call may be this much older or newer than our clock. */
const toleranceMs = 300_000;
/** Tokens state when they begin and end, by a clock that may differ from ours. */
const tokenLeewayS = 30;

/** Whether the call is signed with the carrier's key. */
export async function isSigned(
  call: CarrierCall,
  settings: SignatureSettings,
  keys: Keys,
  now: number,
): Promise<boolean> {
  const described: Described =
    typeof settings === 'string' ? { scheme: settings, secret: 'password' } : settings;
  const { secret = 'password' } = described;
  const key = Object.hasOwn(keys, secret) ? (keys[secret] as string) : '';
  // Anybody can sign with an empty key.
  if (key === '') return false;
  return 'scheme' in described
    ? isSignedByScheme(call, described, key, now)
    : isSignedByKey(call, described, key, now);
}

/** Whether the query of a call that has a body is signed too. */
export function coversQuery(settings: SignatureSettings): boolean {
  if (typeof settings !== 'string' && !('scheme' in settings))
    return settings.over?.includes('{url}') === true;
  const scheme = typeof settings === 'string' ? settings : settings.scheme;
  return scheme === 'twilio' || scheme === 'vonage';
}

async function isSignedByScheme(
  call: CarrierCall,
  { scheme, hash, header = 'authorization' }: Schemed,
  key: string,
  now: number,
): Promise<boolean> {
  switch (scheme) {
    case 'twilio':
      return isSignedByTwilio(call, key);
    case 'vonage':
      return isSignedByVonage(call, key, hash ?? 'md5hash');
    case 'standard-webhooks':
      return isStandardWebhook(call, key, now);
    case 'jwt':
      return isSignedByToken(call, header, key, now);
  }
}

function isSignedByKey(call: CarrierCall, settings: Keyed, key: string, now: number): boolean {
  const { header, prefix = '', over = 'body', timestamp } = settings;
  const given = call.header(header);
  if (given === undefined || !given.startsWith(prefix)) return false;
  if (timestamp !== undefined && !isRecent(call.header(timestamp), now)) return false;
  const signed = signedBytes(call, over);
  if (signed === undefined) return false;
  const isPair = 'ed25519' in settings;
  const signature = Buffer.from(given.slice(prefix.length), settings.encoding ?? (isPair ? 'base64' : 'hex'));
  return isPair
    ? isSignedByPair(signed, signature, key)
    : isEqual(createHmac(settings.hmac, key).update(signed).digest(), signature);
}

const place = /\{([A-Za-z][A-Za-z0-9-]{0,99})\}/;

/** What is signed of a call, or of a request of ours. */
export type Signable = Pick<CarrierCall, 'body' | 'url' | 'header'>;

/** The signature of a request of ours, as it stands in its header. */
export function signatureOf(
  request: Signable,
  settings: NonNullable<SubmitSettings['sign']>,
  key: string,
): string {
  const { hmac, prefix = '', encoding = 'hex', over = 'body' } = settings;
  const content = signedBytes(request, over) ?? '';
  return prefix + createHmac(hmac, key).update(content).digest(encoding);
}

/** Undefined if a header that is signed is missing. */
function signedBytes(call: Signable, over: string): Buffer | undefined {
  if (over === 'body') return Buffer.from(call.body);
  // With a group in the expression, every second piece is the name of a place.
  const pieces = over
    .split(place)
    .map((piece, index) => (index % 2 === 0 ? piece : signedValue(call, piece)));
  return pieces.includes(undefined)
    ? undefined
    : Buffer.concat(pieces.map((piece) => (piece instanceof Buffer ? piece : Buffer.from(piece as string))));
}

function signedValue(call: Signable, name: string): string | Buffer | undefined {
  switch (name) {
    case 'body':
      return call.body;
    case 'url':
      return call.url;
    case 'bodyHash':
      return createHash('sha256').update(call.body).digest();
    default:
      return call.header(name);
  }
}

/** In Unix seconds. */
function isRecent(seconds: string | undefined, now: number): boolean {
  return (
    seconds !== undefined &&
    /^\d{1,12}$/.test(seconds) &&
    Math.abs(now - Number(seconds) * 1_000) <= toleranceMs
  );
}

function isSignedByPair(signed: Buffer, signature: Buffer, publicKey: string): boolean {
  // The key is 32 bytes in base64; JWK (RFC 8037) is the form in which Node reads it.
  const x = Buffer.from(publicKey, 'base64').toString('base64url');
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, signed, key, signature);
  } catch {
    // The key or the signature has another length.
    return false;
  }
}

/**
 * `X-Twilio-Signature`: the address, then the fields of the form by name, each with its distinct values in order. A body that
 * is no form is signed by its hash in the address.
 */
function isSignedByTwilio(call: CarrierCall, authToken: string): boolean {
  const given = call.header('x-twilio-signature');
  if (given === undefined) return false;
  const isForm = isFormType(call.contentType);
  const stated = call.query.get('bodySHA256');
  if (!isForm && call.body !== '' && stated !== createHash('sha256').update(call.body).digest('hex'))
    return false;
  const form = new URLSearchParams(isForm ? call.body : '');
  const valuesByName = new Map<string, Set<string>>();
  for (const [name, value] of form) {
    const values = valuesByName.get(name) ?? new Set();
    valuesByName.set(name, values.add(value));
  }
  const fields = [...valuesByName.keys()]
    .sort()
    .flatMap((name) => [...(valuesByName.get(name) ?? [])].sort().map((value) => name + value))
    .join('');
  const signature = Buffer.from(given, 'base64');
  return [call.url, withOtherPort(call.url)].some((url) =>
    isEqual(
      createHmac('sha1', authToken)
        .update(url + fields)
        .digest(),
      signature,
    ),
  );
}

/** Twilio names the standard port of the scheme in some addresses and leaves it out in others. */
function withOtherPort(url: string): string {
  const [whole, scheme = '', host = '', port] = /^(https?):\/\/([^/?#:]+)(:\d+)?/.exec(url) ?? [''];
  const standard = scheme === 'https' ? ':443' : ':80';
  const other = port === undefined ? standard : port === standard ? '' : port;
  return `${scheme}://${host}${other}${url.slice(whole.length)}`;
}

/** Vonage's `sig`: all other parameters by name; in their values, `&` and `=` are replaced by `_`. */
function isSignedByVonage(call: CarrierCall, secret: string, method: (typeof vonageHashes)[number]): boolean {
  const fields = fieldsOf(call);
  const given = fields?.get('sig');
  if (fields === undefined || given === undefined) return false;
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

/** Undefined if a name occurs twice, since it would not be clear which of its values is signed. */
function fieldsOf({ query, contentType, body }: CarrierCall): ReadonlyMap<string, string> | undefined {
  const form = isFormType(contentType) ? [...new URLSearchParams(body)] : jsonFields(body);
  if (form === undefined) return undefined;
  const all = [...query, ...form];
  const fields = new Map(all);
  return fields.size === all.length ? fields : undefined;
}

function jsonFields(body: string): readonly [string, string][] | undefined {
  if (body === '') return [];
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  const fields = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : undefined;
  return fields?.every(([, value]) => typeof value !== 'object')
    ? fields.map(([name, value]) => [name, String(value)])
    : undefined;
}

/** Standard Webhooks: the header may hold several signatures, of an old and a new key. */
function isStandardWebhook(call: CarrierCall, secret: string, now: number): boolean {
  const id = call.header('webhook-id');
  const seconds = call.header('webhook-timestamp');
  const given = call.header('webhook-signature');
  if (id === undefined || given === undefined || !isRecent(seconds, now)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  if (key.length === 0) return false;
  const expected = createHmac('sha256', key).update(`${id}.${seconds}.${call.body}`).digest();
  return given
    .split(' ', maxSignatures)
    .some((one) => one.startsWith('v1,') && isEqual(expected, Buffer.from(one.slice(3), 'base64')));
}

const maxSignatures = 10;

/** A token (HS256) in a header. What it states about the call must hold; a token for an address covers the body too. */
async function isSignedByToken(
  call: CarrierCall,
  header: string,
  secret: string,
  now: number,
): Promise<boolean> {
  const token = call.header(header)?.replace(/^Bearer +/i, '');
  if (token === undefined) return false;
  const { jwtVerify } = await import('jose');
  try {
    const { payload } = await jwtVerify(token, Buffer.from(secret), {
      algorithms: ['HS256'],
      clockTolerance: tokenLeewayS,
      currentDate: new Date(now),
    });
    const { aud = '', url_hash: urlHash, payload_hash: bodyHash } = payload;
    const isForUs = aud === '' || [aud].flat().includes(call.url);
    const isForAddress = urlHash === undefined || isHashOf(call.url, urlHash);
    const isForBody =
      bodyHash === undefined ? urlHash === undefined || call.body === '' : isHashOf(call.body, bodyHash);
    return isForUs && isForAddress && isForBody;
  } catch {
    return false;
  }
}

function isHashOf(text: string, stated: unknown): boolean {
  return (
    typeof stated === 'string' && stated.toLowerCase() === createHash('sha256').update(text).digest('hex')
  );
}

function isEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
