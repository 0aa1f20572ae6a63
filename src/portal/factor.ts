/**
 * Second factors: what proves one, and the secrets behind it. Time-based codes follow RFC 6238, as apps show them: six digits,
 * new every 30 seconds.
 */
import {
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  randomInt,
  timingSafeEqual,
} from 'node:crypto';
import { isIP } from 'node:net';
import type { LoginKind } from '../accounts/logins.ts';
import { Sealing } from '../foundation/sealing.ts';
import { isRecent, type Session } from './session.ts';

/** A signed text, as it is stored once it has been used. */
export interface UsedChallenge {
  readonly digest: string;
  readonly expiresAt: number;
}

/** What has been verified and remains to be used up, which can be done only once. */
export type FactorProof =
  | { readonly kind: 'code'; readonly step: number }
  | { readonly kind: 'recoveryCode'; readonly digest: string }
  | {
      readonly kind: 'passkey';
      readonly id: string;
      readonly counter: number;
      readonly challenge: UsedChallenge;
    };

/** For how long a password that was right waits for a second factor, and a challenge for its answer. */
export const challengeMs = 5 * 60_000;
export const recoveryCodeCount = 10;
export const maxPasskeys = 10;
export const maxPasskeyName = 60;

/** Where browsers take passkeys; undefined if the server's address has no name, or no TLS. */
export function passkeyOrigin(publicUrl: string): string | undefined {
  const { protocol, hostname, origin } = new URL(publicUrl);
  const isNamed = isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
  return isNamed && (protocol === 'https:' || hostname === 'localhost') ? origin : undefined;
}

/** What must be given again before a second factor is added or removed. */
export function neededFor(
  {
    byLink,
    createdAt,
    confirmedAt = createdAt,
    factorAt,
  }: Pick<Session, 'byLink' | 'createdAt' | 'confirmedAt' | 'factorAt'>,
  hasFactors: boolean,
  now: number,
): 'password' | 'factor' | undefined {
  if (hasFactors) return isRecent(factorAt, now) ? undefined : 'factor';
  return !byLink && isRecent(confirmedAt, now) ? undefined : 'password';
}

/** What a signed text is for; a text for one purpose can't be used for another. */
export type Purpose = 'sign in' | 'set up codes' | 'set up a passkey' | 'use a passkey';

const alphabet = '23456789abcdefghjkmnpqrstuvwxyz';
const recoveryCodeLength = 10;

/** Codes of 49 bits: `k7wq2-m9xhd`. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: recoveryCodeCount }, () => {
    const letters = Array.from({ length: recoveryCodeLength }, () => alphabet[randomInt(alphabet.length)]);
    return `${letters.slice(0, 5).join('')}-${letters.slice(5).join('')}`;
  });
}

/** Codes as people type them. */
export function cleanCode(typed: string): string {
  return typed.replace(/[\s-]/g, '').toLowerCase();
}

/** What is signed or sealed for an operator is worth nothing for a user, nor the other way round. */
const keyNames = {
  user: 'carillon second factor 1',
  operator: 'carillon second factor of operators 1',
} as const;

/** `owner`: the id of a user, or the name of an operator. */
export class FactorSecrets {
  readonly #kind: LoginKind;
  readonly #key: KeyObject;
  readonly #sealing: Sealing;

  constructor(serverSecret: string, kind: LoginKind = 'user') {
    this.#kind = kind;
    this.#key = createSecretKey(Buffer.from(hkdfSync('sha256', serverSecret, '', keyNames[kind], 32)));
    this.#sealing = new Sealing(serverSecret);
  }

  sealTotp(owner: number | string, secret: string): string {
    return this.#sealing.seal(secret, [this.#kind, String(owner), 'totp']);
  }

  openTotp(owner: number | string, sealed: string): string {
    const secret = this.#sealing.open(sealed, [this.#kind, String(owner), 'totp']);
    if (secret === undefined)
      throw new Error(`the secret of the codes of ${this.#kind} ${owner} can't be opened`);
    return secret;
  }

  recoveryDigest(owner: number | string, code: string): string {
    return this.#mac(`recovery ${owner} ${cleanCode(code)}`);
  }

  /**
   * Names the owner of a passkey to devices, which keep one passkey for each name, in at most 64 bytes. Users have their ids,
   * as passkeys of earlier versions do.
   */
  handleOf(owner: number | string): Uint8Array<ArrayBuffer> {
    return new TextEncoder().encode(typeof owner === 'number' ? String(owner) : this.#mac(`handle ${owner}`));
  }

  /** The content, and a signature over it and its purpose: strangers can have as many as they like, and none is stored. */
  sign(purpose: Purpose, content: object, expiresAt: number): string {
    const nonce = randomBytes(16).toString('base64url');
    const body = Buffer.from(JSON.stringify({ ...content, nonce, expiresAt })).toString('base64url');
    return `${body}.${this.#mac(`${purpose} ${body}`)}`;
  }

  /** Undefined if the text was not signed for this purpose, or is too old. */
  open<Content extends object>(
    purpose: Purpose,
    signed: string,
    now: number,
  ): (Content & { readonly used: UsedChallenge }) | undefined {
    const [body = '', mac = ''] = signed.split('.');
    const [given, expected] = [Buffer.from(mac), Buffer.from(this.#mac(`${purpose} ${body}`))];
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const { nonce, expiresAt, ...content } = JSON.parse(Buffer.from(body, 'base64url').toString());
    return now < expiresAt ? { ...content, used: { digest: nonce, expiresAt } } : undefined;
  }

  #mac(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}
