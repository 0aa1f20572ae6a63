/** The error answers of an endpoint in the OpenAPI document, from the one catalogue of faults. */
import { catalogue, type ErrorCode } from '../../foundation/errors.ts';
import type { Endpoint, Method } from '../endpoints/endpoint.ts';
import { maxListedErrors } from '../parameters/faults.ts';
import type { Parameter } from '../parameters/parameter.ts';

const fault = {
  code: { type: 'string', description: 'For programs: one of the codes of `docs/errors.md`.' },
  error: { type: 'string', description: 'A sentence for people, who can act on it.' },
} as const;

/** The body of every error answer (API: errors). */
export const errorSchema = {
  type: 'object',
  required: ['result', 'error', 'code'],
  properties: {
    result: { type: 'string', const: 'ERROR' },
    error: fault.error,
    code: fault.code,
    errors: {
      type: 'array',
      maxItems: maxListedErrors,
      description: 'The faults field by field, where there are such. Absent when empty.',
      items: {
        type: 'object',
        required: ['field', 'code', 'error'],
        properties: { field: { type: 'string', examples: ['to[3]'] }, code: fault.code, error: fault.error },
      },
    },
  },
} as const;

const ofEveryEndpoint: readonly ErrorCode[] = [
  'unauthorised',
  'https_required',
  'cross_site',
  'too_many_attempts',
  'overloaded',
  'store_unavailable',
  'store_damaged',
  'shutting_down',
  'internal',
];

/** What the table of an endpoint lets go wrong, and what its own list adds. */
function errorCodes<Caller>(endpoint: Endpoint<Caller>, method: Method): ReadonlySet<ErrorCode> {
  const parameters = Object.values(endpoint.table.parameters);
  const hasJsonBody = method === 'POST' && endpoint.body !== 'lines';
  // Also where the parameters stand in a body: credentials may stand in any URL.
  const codes = new Set<ErrorCode>(['bad_encoding', 'duplicate_parameter', 'unknown_parameter']);
  if (parameters.length > 0) codes.add('invalid_value');
  if (parameters.some((parameter) => parameter.required || (hasJsonBody && needsFieldsInItems(parameter))))
    codes.add('missing_parameter');
  if (parameters.some(({ isUnavailable }) => isUnavailable === true)) codes.add('not_available');
  if (method === 'POST')
    codes.add('body_too_large').add('multipart_not_supported').add('content_encoding_not_supported');
  if (hasJsonBody) codes.add('bad_json').add('invalid_type');
  else codes.add('conflicting_parameters');
  for (const code of [...(endpoint.errors ?? []), ...ofEveryEndpoint]) codes.add(code);
  return codes;
}

/** Whether it is a list of objects, each of which must have some field. */
function needsFieldsInItems({ schema }: Parameter<unknown>): boolean {
  return 'items' in schema && 'required' in (schema.items as object);
}

/** By status; each names its codes. */
export function errorResponses<Caller>(endpoint: Endpoint<Caller>, method: Method): Record<string, object> {
  const codesByStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodes(endpoint, method)) {
    const { status } = catalogue[code];
    codesByStatus.set(status, [...(codesByStatus.get(status) ?? []), code]);
  }
  const statuses = [...codesByStatus.keys()].sort((one, other) => one - other);
  return Object.fromEntries(
    statuses.map((status) => {
      const codes = codesByStatus.get(status) ?? [];
      const isSilent = status === 401 && endpoint.silent401 === true;
      return [status, isSilent ? silentResponse(codes) : errorResponse(codes, endpoint)];
    }),
  );
}

function meanings(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `- \`${code}\`: ${catalogue[code].meaning}`).join('\n');
}

function silentResponse(codes: readonly ErrorCode[]): object {
  return { description: `${meanings(codes)}\n\nThis answer has no body.` };
}

function errorResponse<Caller>(
  codes: readonly ErrorCode[],
  { errorSchemas, errorFieldSchemas }: Endpoint<Caller>,
): object {
  const reference = { $ref: '#/components/schemas/Error' };
  const own = Object.assign({}, errorFieldSchemas, ...codes.map((code) => errorSchemas?.[code])) as object;
  const properties = { code: { enum: codes }, ...own };
  const schema = { allOf: [reference, { type: 'object', properties }] };
  return { description: meanings(codes), content: { 'application/json': { schema } } };
}
