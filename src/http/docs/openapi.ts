/** Writes the OpenAPI 3.1 document of all endpoints from their tables. */
import Type, { type TSchema } from 'typebox';
import type { Endpoint, Method } from '../endpoints/endpoint.ts';
import { namesInPath } from '../endpoints/path-table.ts';
import { emptyText, objectSchema, withClearing } from '../parameters/object-schema.ts';
import type { Parameter, UrlName } from '../parameters/parameter.ts';
import { errorResponses, errorSchema } from './openapi-errors.ts';
import { bodyCredentials, securityOf, securitySchemes } from './openapi-security.ts';

export interface ApiDescription {
  readonly version: string;
  /** In front of every path; empty for none. */
  readonly pathPrefix: string;
}

const introduction = `Send SMS, read what became of them, and read what people send to your numbers.

**GET and POST** of one call do the same: a GET has its parameters in the URL, a POST has them in one JSON object, whatever its Content-Type says.
In a URL, parameters are also taken by the names that they have in JSON. Lists are comma separated; a comma inside an item is written \`%2C\`. True is T, TRUE, Y or YES, false is F, FALSE, N or NO.
\`null\` and the empty string mean "not given", unknown parameters are ignored.

**Credentials** are given by exactly one method: Basic authentication, the headers \`X-Service-Userid\` and \`X-Service-Password\`, an API key, or user name and password in the body (POST) or the URL (GET).

**Errors** have one body everywhere; \`code\` is for programs, \`error\` for people. Every answer carries \`X-Request-Id\`.`;

export function openApiDocument<Caller>(endpoints: readonly Endpoint<Caller>[], api: ApiDescription): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Carillon', version: api.version, description: introduction },
    ...(api.pathPrefix === '' ? {} : { servers: [{ url: api.pathPrefix }] }),
    tags: [...new Set(endpoints.map(({ group }) => group))].map((name) => ({ name })),
    paths: pathsOf(endpoints),
    components: { schemas: { Error: errorSchema }, securitySchemes },
  };
}

function pathsOf<Caller>(endpoints: readonly Endpoint<Caller>[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints)
    for (const method of endpoint.methods) {
      paths[endpoint.path] ??= {};
      Object.assign(paths[endpoint.path] as object, { [method.toLowerCase()]: operation(endpoint, method) });
    }
  return paths;
}

function operation<Caller>(endpoint: Endpoint<Caller>, method: Method): object {
  const hasJsonBody = method === 'POST' && endpoint.body !== 'lines';
  return {
    tags: [endpoint.group],
    summary: endpoint.title,
    description: endpoint.description,
    operationId: operationId(endpoint.path, method),
    parameters: [
      ...urlParameters(endpoint).filter((one) => one.in === 'path' || !hasJsonBody),
      ...(endpoint.isIdempotent === true ? [idempotencyKey] : []),
    ],
    ...(method === 'POST' ? { requestBody: requestBody(endpoint) } : {}),
    responses: { 200: answer(endpoint), ...errorResponses(endpoint, method) },
    security: securityOf(endpoint, method),
  };
}

/** `/restsms/svcrest/send/single` by POST is `postRestsmsSvcrestSendSingle`. */
function operationId(path: string, method: Method): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function urlParameters<Caller>({ path, table, example }: Endpoint<Caller>) {
  const inPath = namesInPath(path);
  return Object.values(table.parameters).flatMap((parameter) =>
    parameter.urlNames.map((urlName) => ({
      name: urlName.name,
      in: inPath.includes(urlName.name) ? 'path' : 'query',
      description: [parameter.description, urlName.note].filter((text) => text !== undefined).join(' '),
      // Of several names for one parameter none is required by itself.
      ...(parameter.required && parameter.urlNames.length === 1 ? { required: true } : {}),
      ...(urlName.list ? { style: 'form', explode: false } : {}),
      schema: urlSchema(parameter, urlName),
      ...exampleOf(example?.url?.[urlName.name]),
    })),
  );
}

function exampleOf(example: unknown): object {
  return example === undefined ? {} : { example };
}

function urlSchema(parameter: Parameter<unknown>, urlName: UrlName): object {
  return withClearing(wordedSchema(parameter, urlName), emptyText, parameter);
}

/** In a URL a boolean is a word; every other value is a text in the form that its JSON has. */
function wordedSchema(parameter: Parameter<unknown>, { schema }: UrlName): TSchema {
  const isBoolean = 'type' in schema && schema.type === 'boolean';
  if (!isBoolean)
    return { ...schema, ...(parameter.absent === undefined ? {} : { default: parameter.absent }) };
  const words = ['T', 'TRUE', 'Y', 'YES', 'F', 'FALSE', 'N', 'NO'];
  return Type.Unsafe({
    type: 'string',
    enum: words,
    ...(typeof parameter.absent === 'boolean' ? { default: parameter.absent ? 'T' : 'F' } : {}),
  });
}

function requestBody<Caller>(endpoint: Endpoint<Caller>): object {
  if (endpoint.body === 'lines') {
    const text = { schema: { type: 'string' }, ...exampleOf(endpoint.example?.lines) };
    return { required: true, content: { 'text/plain': text } };
  }
  const inPath = namesInPath(endpoint.path);
  const inBody = Object.entries(endpoint.table.parameters).filter(([name]) => !inPath.includes(name));
  const parameters = Object.fromEntries(inBody);
  const schema = objectSchema(parameters) as { readonly properties?: object };
  return {
    required: Object.values(parameters).some(({ required }) => required),
    content: {
      'application/json': {
        schema: { ...schema, properties: { ...bodyCredentials(endpoint.credentials), ...schema.properties } },
        ...exampleOf(endpoint.example?.json),
      },
    },
  };
}

function answer<Caller>(endpoint: Endpoint<Caller>): object {
  if (endpoint.answersCsv === true)
    return { description: 'Success.', content: { 'text/csv': { schema: endpoint.answer } } };
  if (endpoint.answersLines === true)
    return { description: 'Success.', content: { 'application/jsonl': { schema: endpoint.answer } } };
  const json = { 'application/json': { schema: endpoint.answer } };
  const text = { 'text/plain': { schema: { type: 'string' } } };
  return { description: 'Success.', content: endpoint.answersText === true ? { ...json, ...text } : json };
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A key of your own for this call. The same call with the same key within 24 hours gets the first answer again, and nothing is sent twice.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};
