/** What is said to a carrier by HTTP and what it answers, as people may see it: bounded, and without secrets. */
import type { OutgoingPart } from '../carrier.ts';
import type { Exchange, HttpRequest } from './exchange.ts';
import { type CallbackUrls, fixedValues, messageValues, submitRequest } from './request.ts';
import type { HttpDeclaration } from './settings.ts';

const blot = '***';
/** The longest request or answer that is shown. */
const maxShown = 4_000;
/** Shorter secrets would blot out parts of other words. */
const minSecret = 4;

/** The request that submits the message, made without any secret. */
export function shownRequest(
  declaration: HttpDeclaration,
  part: OutgoingPart,
  urls: CallbackUrls,
  now: number,
): HttpRequest {
  const { submit, secrets = {} } = declaration;
  const blotted = Object.fromEntries(Object.keys(secrets).map((name) => [name, blot]));
  const without = { ...declaration, password: blot, secrets: blotted };
  const shownUrls = {
    receiptUrl: withoutToken(urls.receiptUrl),
    incomingUrl: withoutToken(urls.incomingUrl),
  };
  const request = submitRequest(submit, messageValues(part, now, without, fixedValues(without, shownUrls)));
  const { basic, sign } = submit;
  return {
    ...request,
    headers: {
      ...request.headers,
      ...(basic !== undefined && { authorization: `Basic ${blot}` }),
      ...(sign !== undefined && { [sign.header.toLowerCase()]: blot }),
    },
  };
}

/** A request line, headers and body, and those of the answer. */
export function conversationOf(
  declaration: HttpDeclaration,
  part: OutgoingPart,
  urls: CallbackUrls,
  now: number,
  result: Exchange,
): string {
  const { method, origin, path, headers, body = '' } = shownRequest(declaration, part, urls, now);
  const said = [`${method} ${origin}${path}`, ...headerLines(headers), '', body].join('\n');
  return [said, blottedIn(answerOf(result), declaration, urls)].map(bounded).join('\n\n');
}

function answerOf(result: Exchange): string {
  switch (result.kind) {
    case 'answered': {
      const { status, contentType, retryAfter, body } = result;
      const headers = {
        ...(contentType !== '' && { 'content-type': contentType }),
        ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
      };
      return [`HTTP ${status}`, ...headerLines(headers), '', body].join('\n');
    }
    case 'unwritten':
      return `Nothing was sent: ${result.error.message}`;
    case 'cut':
      return `No whole answer came: ${result.error.message}`;
  }
}

function headerLines(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

/** A service may repeat what it was sent, in any of the forms in which secrets are sent. */
export function blottedIn(
  text: string,
  { username = '', password = '', secrets = {} }: HttpDeclaration,
  urls: CallbackUrls,
): string {
  const tokens = [urls.receiptUrl, urls.incomingUrl].map(tokenIn);
  const basic = Buffer.from(`${username}:${password}`).toString('base64');
  return [basic, password, ...Object.values(secrets), ...tokens]
    .filter((secret) => secret.length >= minSecret)
    .flatMap(formsOf)
    .reduce((rest, secret) => rest.replaceAll(secret, blot), text);
}

/** As it is, in an address, in a form, and in JSON, in which some services escape slashes. */
function formsOf(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const field = new URLSearchParams({ secret }).toString().slice('secret='.length);
  return [secret, encodeURIComponent(secret), field, json, json.replaceAll('/', '\\/')];
}

/** The addresses for calls end in a token and the kind of the call. */
function tokenIn(url: string): string {
  return url.split('/').at(-2) ?? '';
}

function withoutToken(url: string): string {
  const pieces = url.split('/');
  return url === '' ? '' : [...pieces.slice(0, -2), blot, ...pieces.slice(-1)].join('/');
}

/** Without control characters other than line ends, and without halves of characters: not every store takes them. */
function bounded(text: string): string {
  const shown = text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
  return shown.replaceAll(/\r\n?/g, '\n').replaceAll(/\p{Cs}|[^\P{Cc}\n\t]/gu, '');
}
