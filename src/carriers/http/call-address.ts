/**
 * The addresses at which a carrier may call us. Each has a token that nobody can guess, is the same on all nodes, and is stored
 * nowhere:
 *
 *   https://sms.example/carriers/elks/nSm3…/receipts
 */
import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { type CallKind, callKinds } from './call.ts';
import type { CallbackUrls } from './request.ts';

/** Where such addresses begin. */
export const callsPath = '/carriers';

const tokenBytes = 24;

export function callSecret(serverSecret: string): KeyObject {
  // RFC 5869: `info` separates this key from others derived from the same secret.
  return createSecretKey(Buffer.from(hkdfSync('sha256', serverSecret, '', 'carillon carrier calls 1', 32)));
}

/** `publicUrl` is without a slash at its end; without it, no carrier can reach us. */
export function callbackUrls(
  publicUrl: string | undefined,
  secret: KeyObject,
  carrier: string,
): CallbackUrls {
  if (publicUrl === undefined) return { receiptUrl: '', incomingUrl: '' };
  const token = tokenOf(secret, carrier).toString('base64url');
  const base = `${publicUrl}${callsPath}/${written(carrier)}/${token}`;
  return { receiptUrl: `${base}/receipts`, incomingUrl: `${base}/incoming` };
}

export interface CallAddress {
  readonly carrier: string;
  readonly kind: CallKind;
}

/** What a called path, without its query, is about; undefined if this server has not made it. */
export function readCallPath(secret: KeyObject, path: string): CallAddress | undefined {
  const [name = '', token = '', last, ...rest] = path.slice(callsPath.length + 1).split('/', 4);
  const kind = callKinds.find((one) => one === last);
  if (kind === undefined || rest.length > 0) return undefined;
  const carrier = decoded(name);
  const given = Buffer.from(token, 'base64url');
  return carrier !== undefined &&
    given.length === tokenBytes &&
    timingSafeEqual(given, tokenOf(secret, carrier))
    ? { carrier, kind }
    : undefined;
}

function tokenOf(secret: KeyObject, carrier: string): Buffer {
  return createHmac('sha256', secret).update(carrier).digest().subarray(0, tokenBytes);
}

/** Without `%`, which some services replace in addresses that they call (Kannel's `%C` and others). */
function written(name: string): string {
  return encodeURIComponent(name).replaceAll('~', '%7E').replaceAll('%', '~');
}

/** Services may keep addresses in which `%` was written. */
function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name.replaceAll('~', '%'));
  } catch {
    return undefined;
  }
}
