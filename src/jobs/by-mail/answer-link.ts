/**
 * A link by which one person answers one run. This server alone can write it, so that nothing is stored for it and a
 * guess costs no look into the store:
 *
 *   1001.7.tk3x9c.GhV3…   run . place of the person . end, in seconds to the base 36 . HMAC-SHA256 of all before
 */
import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';

export interface AnswerLink {
  readonly runId: number;
  readonly place: number;
  readonly expiresAt: number;
}

/** So long a link works after the end of its run, as an answer by SMS still finds it: who comes late is told so. */
export const afterEndMs = 72 * 60 * 60_000;

/** The key of the HMAC, good for nothing else that the server's secret protects (RFC 5869: `info` separates uses). */
export function answerLinkSecret(serverSecret: string | Uint8Array): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', serverSecret, '', 'carillon answer link 1', 32)));
}

/** Where the page stands, below the address of the server. */
export const answerPath = '/answer';

/** All characters are unreserved in URLs (RFC 3986, section 2.3). */
export function writeAnswerLink(secret: KeyObject, { runId, place, expiresAt }: AnswerLink): string {
  const claimed = `${runId}.${place}.${Math.ceil(expiresAt / 1_000).toString(36)}`;
  return `${claimed}.${signature(secret, claimed)}`;
}

/** Far above the longest that is ever written. */
const maxLength = 120;
const form = /^([1-9][0-9]{0,15})\.([0-9]{1,5})\.([0-9a-z]{1,9})$/;

/** Undefined when this server did not write it; whether its time is over is for the caller to see. */
export function readAnswerLink(secret: KeyObject, text: string): AnswerLink | undefined {
  const looked = text.slice(0, maxLength);
  const claimed = looked.slice(0, Math.max(0, looked.lastIndexOf('.')));
  // The same work for whatever comes.
  const expected = Buffer.from(signature(secret, claimed));
  const given = Buffer.from(text.slice(claimed.length + 1, maxLength));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const [, runId, place, seconds] = form.exec(claimed) ?? [];
  if (seconds === undefined) return undefined;
  return { runId: Number(runId), place: Number(place), expiresAt: Number.parseInt(seconds, 36) * 1_000 };
}

function signature(secret: KeyObject, claimed: string): string {
  return createHmac('sha256', secret).update(claimed).digest('base64url');
}
