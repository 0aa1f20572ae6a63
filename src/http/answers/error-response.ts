/** The one place that turns an error into a response (API: errors). */
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import Type from 'typebox';
import { catalogue, ServiceError } from '../../foundation/errors.ts';
import type { Sentence } from '../../foundation/sentences.ts';
import { decodeComponent } from '../../wire/percent-decoding.ts';
import { Faults, maxListedErrors } from '../parameters/faults.ts';
import type { Parameters } from '../parameters/parameter.ts';
import type { JsonObject, ParameterTable } from '../parameters/table.ts';
import { readQuery } from '../parameters/url-values.ts';
import { pathOf, type RequestContext, takesBody } from '../request-context.ts';
import { languageOf, replacerFor } from './in-language.ts';
import { jsonHeaders, respond } from './respond.ts';

/** Returns the text of a parameter as far as the call was read before it was refused, or else an empty string. */
export type AskedText = (parameter: string) => string;

export type ErrorFields = (sentence: string, asked: AskedText) => Readonly<Record<string, unknown>>;

const nothingAsked: AskedText = () => '';

/** What an endpoint may change about its error responses. */
export interface ErrorForm {
  /** A 401 response has no body. */
  readonly silent401?: boolean;
  /** Further fields of each error body. */
  readonly errorFields?: ErrorFields;
  /** Returns the text of a parameter in the call; without this function it is unknown. */
  readonly asked?: AskedText;
  /** The request comes from a page, which has its own sign-in form. */
  readonly isOfPage?: boolean;
  /** An API key may be given in `Authorization: Bearer`. */
  readonly takesBearer?: boolean | undefined;
}

/** Seconds for `Retry-After` if the error itself gives no better number. */
export const standardRetryAfterS = '1';

export function respondWithError(
  context: RequestContext,
  thrown: unknown,
  log: Logger,
  form: ErrorForm = {},
): void {
  const { id, response } = context;
  // The work was abandoned because no client waits for its response any more.
  if (thrown instanceof DOMException && thrown.name === 'AbortError') return void response.destroy();
  const error = toServiceError(thrown);
  logFault(log, error, id);
  // It is too late for an error response: a broken response is better than a wrong one.
  if (response.headersSent) return void response.destroy();
  const headers = Object.entries(headersOf(error, form, context.request)).flat();
  if (error.status === 401 && form.silent401 === true) respond(context, 401, headers, '');
  else {
    const body = {
      ...errorBody(error),
      ...problemOf(error, context.request),
      ...form.errorFields?.(error.message, form.asked ?? nothingAsked),
      ...error.body,
    };
    const payload = JSON.stringify(body, replacerFor(languageOf(context.request)));
    respond(context, error.status, [...jsonHeaders, ...headers], payload);
  }
}

/** The error form for a call refused before it reaches its endpoint: the body of a POST is not read. */
export function formBeforeCall(
  { errorFields, table }: Pick<ErrorForm, 'errorFields'> & { readonly table: ParameterTable<Parameters> },
  { method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>,
): ErrorForm {
  if (errorFields === undefined) return {};
  const asked: AskedText = (parameter) => (takesBody(method) ? '' : textInUrl(url, parameter, table));
  return { errorFields, asked };
}

export function errorBody(error: ServiceError): Readonly<Record<string, unknown>> {
  return {
    result: 'ERROR',
    error: error.message,
    code: error.code,
    values: error.values,
    ...(error.errors.length === 0 ? {} : { errors: error.errors.slice(0, maxListedErrors) }),
  };
}

/** A longer beginning of a path is an invention of the caller, and is not repeated. */
const maxPrefixLength = 200;
/** Leads nowhere but to this server, unlike `//host`. */
const isPlainPath = /^(?:\/[\w.~%-]+)*$/;

/** The members of RFC 9457, under `/api/v1`: `type` leads to what `/docs` says about the code. */
function problemOf(error: ServiceError, request: IncomingMessage): object {
  const path = pathOf(request);
  const prefixLength = path.indexOf('/api/v1/');
  if (prefixLength < 0 || prefixLength > maxPrefixLength) return {};
  const prefix = path.slice(0, prefixLength);
  return {
    type: `${isPlainPath.test(prefix) ? prefix : ''}/docs/errors#${error.code}`,
    title: catalogue[error.code].meaning,
    status: error.status,
    detail: error.message,
  };
}

const values = Type.Unsafe<Sentence>({
  title: 'Sentence',
  type: 'object',
  required: ['sentence'],
  properties: {
    sentence: {
      type: 'string',
      description:
        'Name of the sentence in `docs/errors.md`. The other fields are the values in the sentence.',
    },
  },
  additionalProperties: { type: ['string', 'number'] },
});

/** The description of an error, in an error body, in each of its `errors`, and where responses list faults. */
export const errorContent = {
  code: Type.String({ description: 'For programs: a code from `docs/errors.md`.' }),
  error: Type.String({ description: 'A sentence for people: what is wrong, and what to do.' }),
  values: Type.Optional(values),
};

/** Keeps unforeseen errors internal: no stack, SQL or path is revealed (API: errors). */
function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  const status = thrown instanceof Error && 'statusCode' in thrown ? thrown.statusCode : undefined;
  switch (status) {
    case 400:
      return new ServiceError(
        'bad_request',
        'The request is not valid HTTP: its path or headers cannot be read.',
      );
    case 404:
      return new ServiceError('not_found', 'There is nothing at this path.');
    case 413:
      return new ServiceError('body_too_large', 'The body is larger than this endpoint accepts.');
    default:
      return new ServiceError(
        'internal',
        'The service failed to handle this request. The operator can find the cause in the log by the X-Request-Id of this answer.',
        { cause: thrown },
      );
  }
}

const passwordChallenge = 'Basic realm="Carillon", charset="UTF-8"';

/** The credentials that the call accepts in `Authorization`; a refused bearer token is named as RFC 6750, section 3.1, says. */
function challenges({ takesBearer = false }: ErrorForm, { headers }: IncomingMessage): string {
  if (!takesBearer) return passwordChallenge;
  const isRefused = /^\s*bearer\b/i.test(headers.authorization ?? '');
  return `${passwordChallenge}, Bearer realm="Carillon"${isRefused ? ', error="invalid_token"' : ''}`;
}

function headersOf(
  error: ServiceError,
  form: ErrorForm,
  request: IncomingMessage,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(error.headers)) headers[name.toLowerCase()] = value;
  if (error.status === 401)
    headers['www-authenticate'] ??= form.isOfPage ? 'Session' : challenges(form, request);
  if (error.code === 'scope_missing' && form.takesBearer)
    headers['www-authenticate'] = 'Bearer realm="Carillon", error="insufficient_scope"';
  if (error.status === 429 || error.status === 503) headers['retry-after'] ??= standardRetryAfterS;
  return headers;
}

/**
 * Refusals for lack of room are counted by the metrics, since a log line for each would add to the load. A refusal with a
 * cause is rare and is logged.
 */
function logFault(log: Logger, error: ServiceError, requestId: string): void {
  if (error.status < 500 || error.code === 'shutting_down') return;
  if (error.code === 'overloaded' && error.cause === undefined) return;
  const fields = { requestId, code: error.code, err: error.cause ?? error };
  if (error.status === 503) log.warn(fields, error.message);
  else log.error(fields, error.message);
}

/** Longer than any name; keeps a refusal from growing with the call. */
const maxLength = 200;

/**
 * Returns a text from the call for a refusal that repeats it; nothing else in the call need be valid. Empty if it is
 * missing or unreadable.
 */
export function textInUrl<P extends Parameters>(
  url: string,
  parameter: string,
  table: ParameterTable<P>,
): string {
  const values = readQuery(url, table.urlNames, new Faults());
  const raw = values.get(table.nameInUrl(parameter, values) ?? '');
  const text = raw === undefined ? undefined : decodeComponent(raw, 'utf-8');
  return text?.ok ? cut(text.value) : '';
}

/** The same for a JSON body, if there is one. */
export function textInJson(body: JsonObject | undefined, parameter: string): string {
  const json = body !== undefined && Object.hasOwn(body, parameter) ? body[parameter] : undefined;
  return typeof json === 'string' || typeof json === 'number' ? cut(String(json)) : '';
}

function cut(text: string): string {
  return text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '');
}
