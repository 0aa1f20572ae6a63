/** Finds the credentials of a request, which must use exactly one method (API: authentication). */

import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '../../foundation/errors.ts';
import { decodeComponent } from '../../wire/percent-decoding.ts';
import type { UrlValues } from '../parameters/parameter.ts';
import type { JsonObject } from '../parameters/table.ts';
import { takesBody } from '../request-context.ts';

export type Credentials =
  | { readonly kind: 'password'; readonly username: string; readonly password: string }
  | { readonly kind: 'key'; readonly key: string };

/** The credentials of a portal page: the token of its session, or of a link that begins one. */
export interface PageCredentials {
  readonly kind: 'session' | 'link';
  readonly token: string;
  /**
   * The user the page was rendered for, percent-encoded: all tabs of a browser share one cookie, and another user may have
   * signed in since.
   */
  readonly shownTo?: string | undefined;
  /** Whether the endpoint also serves users who must have a second factor and have none yet. */
  readonly toEnrol?: boolean | undefined;
}

export function isOfPage(credentials: Credentials | PageCredentials): credentials is PageCredentials {
  return credentials.kind === 'session' || credentials.kind === 'link';
}

/** The origin of a login. */
export interface LoginOrigin {
  readonly address: string;
  /** Defaults to HTTP. */
  readonly channel?: 'http' | 'smtp' | 'smpp';
  /** Called while a password waits to be verified, perhaps for seconds. */
  beginWaiting?(): void;
  /** The client is gone and no longer waits for the response. */
  readonly isGone?: boolean;
}

/** Returns the caller (without a promise if remembered), or throws a ServiceError. */
export type Authenticate<Caller> = (credentials: Credentials, from: LoginOrigin) => Caller | Promise<Caller>;

export type AuthenticatePage<Caller> = (
  credentials: PageCredentials,
  from: LoginOrigin,
) => Caller | Promise<Caller>;

/** Which of the methods an endpoint accepts. */
export interface AcceptedCredentials {
  readonly apiKey: boolean;
  /** An API key in `Authorization: Bearer` too, as only calls under `/api/v1/` accept it. */
  readonly bearer?: boolean;
  /** In the body, the URL, or the credential headers; Basic authentication works everywhere. */
  readonly password: boolean;
  /** `U` and `P` in the URL of a POST, whose body then is not a JSON object and holds no credentials. */
  readonly passwordInPostUrl: boolean;
  /** A portal session, in addition to the others. By default only under `/api/v1/` (PORT-2). */
  readonly session?: boolean;
  /** Whether a session is enough in which a required second factor has not been given. */
  readonly toEnrol?: boolean;
  /** The `token` of a link, in the body. */
  readonly link?: boolean;
}

export const anyMethod: AcceptedCredentials = { apiKey: true, password: true, passwordInPostUrl: false };
export const passwordOnly: AcceptedCredentials = { apiKey: false, password: true, passwordInPostUrl: false };
export const basicOnly: AcceptedCredentials = { apiKey: false, password: false, passwordInPostUrl: false };
const ofPages: AcceptedCredentials = { apiKey: false, password: false, passwordInPostUrl: false };
/** For the portal's own calls, whose bodies may have a `password` that is not part of the caller's credentials. */
export const sessionOnly: AcceptedCredentials = { ...ofPages, session: true };
/** For what users need in order to set up a second factor. */
export const sessionToEnrol: AcceptedCredentials = { ...sessionOnly, toEnrol: true };
export const linkOnly: AcceptedCredentials = { ...ofPages, link: true };
export const anyMethodBesideLines: AcceptedCredentials = {
  apiKey: true,
  password: true,
  passwordInPostUrl: true,
};

export interface CredentialSources {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly url: UrlValues;
}

/**
 * Requires exactly one method, complete and in a place where it applies; everything else is 401. Empty strings count as
 * absent. Finds the credentials that are known before the body is read: errors in headers and URL are errors with any body.
 */
export function findCredentialsBesideBody(
  { method, headers, url }: CredentialSources,
  accepted: AcceptedCredentials,
): FoundCredentials {
  const found = new FoundCredentials(accepted);
  if (url.size > 0) {
    found.password(
      '`U` and `P` in the URL',
      ofUrl(url, 'U'),
      ofUrl(url, 'P'),
      !takesBody(method) || accepted.passwordInPostUrl,
    );
    found.key('`key` in the URL', ofUrl(url, 'key'));
  }
  if (headers.authorization !== undefined) found.authorization(headers.authorization);
  found.password(
    '`X-Service-Userid` and `X-Service-Password`',
    ofBase64Header(headers['x-service-userid'], 'X-Service-Userid'),
    ofBase64Header(headers['x-service-password'], 'X-Service-Password'),
  );
  found.key('`X-API-Key`', ofHeader(headers['x-api-key']));
  return found;
}

/** The fields of a JSON body that may hold credentials. */
export const credentialFields = ['username', 'password', 'apikey'] as const;

export class FoundCredentials {
  /** Used if no other credentials are given. */
  page: PageCredentials | undefined;
  readonly #accepted: AcceptedCredentials;
  #credentials: Credentials | undefined;
  #method = '';

  constructor(accepted: AcceptedCredentials) {
    this.#accepted = accepted;
  }

  /** Undefined if none have been found so far. */
  get credentials(): Credentials | PageCredentials | undefined {
    return this.#credentials ?? this.page;
  }

  addBody(body: JsonObject): void {
    const { session, link } = this.#accepted;
    if (session === true) return;
    if (link === true) {
      const token = ofBody(body, 'token');
      if (token !== '') this.page = { kind: 'link', token };
      return;
    }
    this.password(
      '`username` and `password` in the body',
      ofBody(body, 'username'),
      ofBody(body, 'password'),
    );
    this.key('`apikey` in the body', ofBody(body, 'apikey'));
  }

  only(): Credentials | PageCredentials {
    if (this.credentials !== undefined) return this.credentials;
    if (this.#accepted.session === true) throw unauthorised(noSession);
    if (this.#accepted.link === true)
      throw unauthorised('The link’s `token` is missing. Open the link again.');
    if (!this.#accepted.password)
      throw unauthorised('No credentials were given. This call requires Basic authentication.');
    const bearer = this.#accepted.bearer === true ? ' or `Authorization: Bearer`' : '';
    const key = this.#accepted.apiKey ? `an API key (header \`X-API-Key\`${bearer}), or ` : '';
    throw unauthorised(
      `No credentials were given. Send ${key}user name and password (Basic authentication), or use another method from the API documentation.`,
    );
  }

  password(method: string, username: string, password: string, applies = true): void {
    if (username === '' && password === '') return;
    if (username === '' || password === '') {
      throw unauthorised(`Only half of the credentials were given: ${method} belong together.`);
    }
    if (!applies) {
      throw unauthorised(
        '`U` and `P` in the URL work only for GET and DELETE. For POST and PATCH, give `username` and `password` in the body.',
      );
    }
    if (!this.#accepted.password)
      throw unauthorised(`This call accepts only Basic authentication, not ${method}.`);
    this.#take(method, { kind: 'password', username, password });
  }

  authorization(header: string): void {
    const [scheme = '', ...tokens] = header.trim().split(/ +/);
    const token = tokens.length === 1 ? tokens[0] : undefined;
    if (scheme === '') return;
    if (scheme.toLowerCase() === 'basic') this.#basic(token);
    else if (this.#accepted.bearer !== true)
      throw unauthorised('The `Authorization` header accepts only Basic authentication.');
    else if (scheme.toLowerCase() === 'bearer') this.#bearer(token);
    else
      throw unauthorised(
        'The `Authorization` header accepts only Basic authentication, and `Bearer` with an API key.',
      );
  }

  /** RFC 6750, section 2.1. */
  #bearer(token = ''): void {
    if (!/^[\w.~+/-]{1,4096}=*$/.test(token))
      throw unauthorised('The token of `Authorization: Bearer` must be an API key, and nothing else.');
    this.key('`Authorization: Bearer`', token);
  }

  #basic(token = ''): void {
    const pair = decodeBase64(token);
    const colon = pair?.indexOf(':') ?? -1;
    if (pair === undefined || colon < 0) {
      throw unauthorised(
        'The token of Basic authentication must be the Base64 of `<username>:<password>` in UTF-8.',
      );
    }
    if (pair === ':') return;
    const username = pair.slice(0, colon);
    const password = pair.slice(colon + 1);
    if (username === '' || password === '') {
      throw unauthorised(
        'Only half of the credentials were given: Basic authentication needs user name and password.',
      );
    }
    this.#take('Basic authentication', { kind: 'password', username, password });
  }

  key(method: string, key: string): void {
    if (key === '') return;
    if (!this.#accepted.apiKey) {
      const instead = this.#accepted.password ? 'a user name and password' : 'Basic authentication';
      throw unauthorised(`This call accepts ${instead}, not an API key.`);
    }
    this.#take(method, { kind: 'key', key });
  }

  #take(method: string, credentials: Credentials): void {
    if (this.#credentials !== undefined) {
      throw unauthorised(
        `Credentials were given by two methods, ${this.#method} and ${method}. Use exactly one.`,
      );
    }
    this.#credentials = credentials;
    this.#method = method;
  }
}

const noSession =
  'There is no session. Sign in. If you just did, your browser blocks cookies from this address; allow them.';

function ofBody(body: JsonObject, field: (typeof credentialFields)[number] | 'token'): string {
  const json = body[field];
  if (json === undefined || json === null) return '';
  if (typeof json === 'string') return json;
  throw unauthorised(`\`${field}\` in the body must be a string.`);
}

function ofUrl(url: UrlValues, name: string): string {
  const raw = url.get(name);
  if (raw === undefined) return '';
  const text = decodeComponent(raw);
  if (!text.ok) throw unauthorised(`\`${name}\` in the URL must be URL-encoded UTF-8.`);
  return text.value;
}

function ofHeader(header: string | readonly string[] | undefined): string {
  if (header === undefined) return '';
  return typeof header === 'string' ? header : header.join(', ');
}

function ofBase64Header(header: string | readonly string[] | undefined, name: string): string {
  if (header === undefined || header === '') return '';
  const text = decodeBase64(ofHeader(header));
  if (text === undefined) throw unauthorised(`\`${name}\` must be Base64 of UTF-8.`);
  return text;
}

/** Decodes RFC 4648 section 4, with padding, to UTF-8; `undefined` if invalid. */
function decodeBase64(token: string): string | undefined {
  if (token.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}

function unauthorised(sentence: string): ServiceError {
  return new ServiceError('unauthorised', sentence);
}
