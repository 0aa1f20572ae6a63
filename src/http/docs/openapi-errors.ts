/** The error responses of an endpoint in the OpenAPI document, from the one error catalogue. */

import { catalogue, type ErrorCode } from '../../foundation/errors.ts';
import { groupedBy } from '../../foundation/grouped.ts';
import { errorContent } from '../answers/error-response.ts';
import type { Endpoint, Method } from '../endpoints/endpoint.ts';
import { maxListedErrors } from '../parameters/faults.ts';
import { takesBody } from '../request-context.ts';

/** The body of every error response (API: errors). The one place in the document that says what each code means. */
export function errorSchema<Caller>(endpoints: readonly Failing<Caller>[]) {
  const codes = new Set([...ofAnyEndpoint, ...endpoints.flatMap(({ errors = [] }) => errors)]);
  const meanings = [...codes].sort().map((code) => `- \`${code}\`: ${catalogue[code].meaning}`);
  return {
    type: 'object',
    required: ['result', 'error', 'code'],
    properties: {
      result: { type: 'string', const: 'ERROR' },
      error: errorContent.error,
      code: { type: 'string', description: ['For programs.\n', ...meanings].join('\n') },
      values: errorContent.values,
      type: { type: 'string', format: 'uri-reference', description: 'Under `/api/v1`, as in RFC 9457.' },
      title: { type: 'string', description: 'What the code means.' },
      status: { type: 'integer' },
      detail: { type: 'string', description: 'The same as `error`.' },
      errors: {
        type: 'array',
        maxItems: maxListedErrors,
        description: 'The errors by field. Absent when empty.',
        items: {
          type: 'object',
          required: ['field', 'code', 'error'],
          properties: { field: { type: 'string', examples: ['to[3]'] }, ...errorContent },
        },
      },
    },
  };
}

const errorReference = { $ref: '#/components/schemas/Error' };

const ofEveryEndpoint: readonly ErrorCode[] = [
  'unauthorised',
  'role_missing',
  'scope_missing',
  'network_not_allowed',
  'https_required',
  'cross_site',
  'too_many_attempts',
  'overloaded',
  'store_unavailable',
  'store_damaged',
  'shutting_down',
  'internal',
];

const ofBodies: readonly ErrorCode[] = [
  'body_too_large',
  'multipart_not_supported',
  'content_encoding_not_supported',
];

/** The errors of calls that do not match their endpoint's description, for any endpoint. */
const ofWrongCalls = [
  'bad_encoding',
  'duplicate_parameter',
  'unknown_parameter',
  'invalid_value',
  'missing_parameter',
  'not_available',
  'bad_json',
  'invalid_type',
  'conflicting_parameters',
] as const satisfies readonly ErrorCode[];

const ofAnyEndpoint: readonly ErrorCode[] = [...ofWrongCalls, ...ofEveryEndpoint, ...ofBodies];

export const wrongCallSchema = { type: 'string', enum: ofWrongCalls } as const;

/** The codes from the endpoint's own list and its method, in addition to those of wrong calls. */
function errorCodes<Caller>(endpoint: Failing<Caller>, method: Method): ReadonlySet<ErrorCode> {
  const codes = takesBody(method) ? ofBodies : [];
  return new Set([...codes, ...(endpoint.errors ?? []), ...ofEveryEndpoint]);
}

type Failing<Caller> = Pick<Endpoint<Caller>, 'errors' | 'silent401' | 'errorSchemas' | 'errorFieldSchemas'>;

/** Responses by status; each lists its codes. */
export function errorResponses<Caller>(endpoint: Failing<Caller>, method: Method): Record<string, object> {
  // Includes endpoints without parameters, since any URL may carry credentials.
  const codesByStatus = groupedBy(errorCodes(endpoint, method), (code) => catalogue[code].status);
  const statuses = [...new Set([400, ...codesByStatus.keys()])].sort((one, other) => one - other);
  return Object.fromEntries(
    statuses.map((status) => {
      const codes = (codesByStatus.get(status) ?? []).filter((code) => !isOfWrongCalls(code));
      const isSilent = status === 401 && endpoint.silent401 === true;
      return [status, isSilent ? silentResponse(codes) : errorResponse(status, codes, endpoint)];
    }),
  );
}

function isOfWrongCalls(code: ErrorCode): boolean {
  return (ofWrongCalls as readonly ErrorCode[]).includes(code);
}

function named(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `\`${code}\``).join(', ');
}

function silentResponse(codes: readonly ErrorCode[]): object {
  return { description: `${named(codes)}. This response has no body.` };
}

function errorResponse<Caller>(
  status: number,
  codes: readonly ErrorCode[],
  { errorSchemas, errorFieldSchemas }: Failing<Caller>,
): object {
  const wrong = status === 400 ? [{ $ref: '#/components/schemas/WrongCall' }] : [];
  const own = codes.length === 0 ? [] : [{ type: 'string', enum: codes }];
  const choices = [...wrong, ...own];
  const code = choices.length === 1 ? choices[0] : { anyOf: choices };
  const fields = Object.assign({}, errorFieldSchemas, ...codes.map((each) => errorSchemas?.[each])) as object;
  const schema = {
    allOf: [errorReference, { type: 'object', properties: { code, ...fields } }],
  };
  return {
    description: codes.length === 0 ? 'The call does not match its description here.' : named(codes),
    content: { 'application/json': { schema } },
  };
}

/** The answers that are the same for any operation. */
const usual: ReadonlySet<string> = new Set(
  Object.values(errorResponses({}, 'POST')).map((answer) => JSON.stringify(answer)),
);

/** Whether `usualFailure` describes the answer completely. */
export function isUsual(answer: object): boolean {
  return usual.has(JSON.stringify(answer));
}

/** What an operation refers to as its `default`, for each status that it does not name itself. */
export function usualFailure(): object {
  const codes = ofAnyEndpoint.toSorted((one, other) => catalogue[one].status - catalogue[other].status);
  const lines = codes.map(
    (code) =>
      `- ${catalogue[code].status} \`${code}\`${ofBodies.includes(code) ? ', of a call with a body' : ''}`,
  );
  const code = { type: 'string', enum: codes };
  return {
    description: `The other errors that any operation can return, by status:\n\n${lines.join('\n')}`,
    content: {
      'application/json': { schema: { allOf: [errorReference, { type: 'object', properties: { code } }] } },
    },
  };
}

/** For each status, the phrase with which the names of its responses in the document begin. */
const phrases: Readonly<Record<string, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  412: 'PreconditionFailed',
  413: 'TooLarge',
  415: 'UnsupportedType',
  422: 'Unprocessable',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'Unavailable',
};

export function phraseOf(status: string): string {
  const phrase = phrases[status];
  if (phrase === undefined)
    throw new Error(`the OpenAPI document has no name for answers of the status ${status}`);
  return phrase;
}
