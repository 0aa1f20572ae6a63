/** Makes the request that submits a message, from the carrier's declaration and the message. */
import { createHash } from 'node:crypto';
import { noCompany } from '../../audit/audit-log.ts';
import type { OutgoingPart } from '../carrier.ts';
import type { HttpRequest } from './exchange.ts';
import type { HttpDeclaration, RequestSettings, SubmitSettings } from './settings.ts';
import { signatureOf } from './signature.ts';
import {
  fill,
  fillHeader,
  fillJson,
  fillPairs,
  fillUrl,
  type JsonTemplate,
  type Values,
} from './template.ts';

/** The addresses at which the carrier may call us; empty without a public address of ours. */
export interface CallbackUrls {
  readonly receiptUrl: string;
  readonly incomingUrl: string;
}

/** What does not depend on the message: the carrier's own address, names and secrets, and our addresses. */
export function fixedValues(declaration: HttpDeclaration, urls: CallbackUrls): Values {
  const { baseUrl = '', username = '', password = '', values, secrets } = declaration;
  return { ...values, ...secrets, baseUrl, username, password, ...urls };
}

/** `now` is in milliseconds since the epoch. */
export function messageValues(
  part: OutgoingPart,
  now: number,
  { choices }: HttpDeclaration,
  fixed: Values,
): Values {
  const { messageId, recipient, sender, text, smsParts, expiresAt } = part;
  const values = {
    ...fixed,
    id: String(messageId),
    to: recipient,
    from: sender,
    text,
    key: keyOf(part),
    parts: smsParts,
    flash: part.flash,
    validitySeconds: Math.max(1, Math.ceil((expiresAt - now) / 1_000)),
  };
  const chosen = Object.entries(choices ?? {}).map(([name, choice]) => [
    name,
    fill(choose(choice, part), values),
  ]);
  return { ...values, ...Object.fromEntries(chosen) };
}

/**
 * The same whenever the message is tried. Unlike an id, it is not given to another message by a server with a new store, or by
 * one that shares our account. An operator's test is never repeated, and always has the same text.
 */
function keyOf({ messageId, companyId, recipient, sender, text, expiresAt }: OutgoingPart): string {
  const ofTest = companyId === noCompany ? [expiresAt] : [];
  const content = JSON.stringify([companyId, recipient, sender, text, ...ofTest]);
  return `${messageId}-${createHash('sha256').update(content).digest('hex').slice(0, 12)}`;
}

/** What the carrier calls a message that it takes by an id of ours. */
export function ownIdOf({ accepted }: SubmitSettings, part: OutgoingPart): string {
  return accepted.id === 'key' ? keyOf(part) : String(part.messageId);
}

/** Longer numbers are of phones. */
const maxShortDigits = 6;

type Choice = NonNullable<HttpDeclaration['choices']>[string];

function choose(choice: Choice, { encoding, sender, flash }: OutgoingPart): string {
  switch (choice.by) {
    case 'encoding':
      return choice[encoding];
    case 'sender':
      if (!/^[0-9]+$/.test(sender)) return choice.alphanumeric;
      return (sender.length <= maxShortDigits ? choice.short : undefined) ?? choice.number;
    case 'flash':
      return flash ? choice.yes : choice.no;
  }
}

export function submitRequest(submit: SubmitSettings, values: Values): HttpRequest {
  const { json, form, sign } = submit;
  const [type, body] =
    json !== undefined
      ? ['application/json', JSON.stringify(fillJson(json as JsonTemplate, values))]
      : form !== undefined
        ? ['application/x-www-form-urlencoded', fillPairs(form, values).toString()]
        : [undefined, undefined];
  const request = requestOf({ ...submit, method: submit.method ?? 'POST' }, values, type, body);
  if (sign === undefined) return request;
  const header = (name: string) => request.headers[name.toLowerCase()];
  const sent = { url: request.origin + request.path, body: body ?? '', header };
  const signature = signatureOf(sent, sign, String(values[sign.secret] ?? ''));
  return { ...request, headers: { ...request.headers, [sign.header.toLowerCase()]: signature } };
}

/** A request without a body unless one is given. */
export function requestOf(
  { url, headers = {}, basic, method = 'GET', query }: RequestSettings,
  values: Values,
  type?: string,
  body?: string,
): HttpRequest {
  const { origin, pathname, search } = new URL(fillUrl(url, values));
  const added = query === undefined ? '' : fillPairs(query, values).toString();
  const joint = search === '' ? '?' : '&';
  const named = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    fillHeader(value, values),
  ]);
  const credentials = basic && `${fill(basic.username, values)}:${fill(basic.password, values)}`;
  return {
    method,
    origin,
    path: pathname + search + (added === '' ? '' : joint + added),
    headers: {
      'user-agent': 'Carillon',
      ...(type !== undefined && { 'content-type': type }),
      ...(credentials !== undefined && {
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      }),
      ...Object.fromEntries(named),
    },
    body,
  };
}
