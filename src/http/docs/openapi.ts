/** Writes the OpenAPI 3.1 document of all endpoints from their tables. */

import Type, { type TSchema } from 'typebox';
import type { Endpoint, Method } from '../endpoints/endpoint.ts';
import { namesInPath } from '../endpoints/path-table.ts';
import {
  emptyText,
  objectSchema,
  type Parameter,
  type UrlName,
  withClearing,
} from '../parameters/parameter.ts';
import { takesBody } from '../request-context.ts';
import { capitalised, NamedSchemas, SharedParts } from './openapi-components.ts';
import {
  errorResponses,
  errorSchema,
  isUsual,
  phraseOf,
  usualFailure,
  wrongCallSchema,
} from './openapi-errors.ts';
import {
  bodyCredentials,
  securityOf,
  securitySchemes,
  securityUnlessUsual,
  usualSecurity,
} from './openapi-security.ts';
import { type DescribedPosts, describeWebhooks } from './openapi-webhooks.ts';

export interface ApiDescription {
  readonly version: string;
  /** Precedes every path; empty for none. */
  readonly pathPrefix: string;
  /** What the service posts to its customers' servers; by default nothing. */
  readonly posts?: DescribedPosts;
}

const introduction = `Send SMS, read what happened to them, and read what people send to your numbers.

**GET and POST** of one call do the same: a GET has its parameters in the URL, a POST has them in one JSON object, whatever its Content-Type says. So does a PATCH, which changes only the fields that it gives.
In a URL, parameters can also be given by their names in JSON. Lists are comma separated; a comma inside an item is written \`%2C\`. True is T, TRUE, Y or YES, false is F, FALSE, N or NO.
\`null\` and the empty string mean "not given". An unknown parameter is refused under \`/api/v1\`, and on the other paths if it resembles a known one or is in the wrong place.

**Credentials** are given by exactly one method: Basic authentication, the headers \`X-Service-Userid\` and \`X-Service-Password\`, an API key (under \`/api/v1\` also as \`Authorization: Bearer\`), or user name and password in the body (POST, PATCH) or the URL (GET, DELETE).

**Errors** have one body everywhere; \`code\` is for programs, \`error\` for people; the schema \`Error\` says what each code means. An operation names only its own error answers; those that any operation can give are described once (\`default\`). Every answer carries \`X-Request-Id\`.`;

export function openApiDocument<Caller>(endpoints: readonly Endpoint<Caller>[], api: ApiDescription): object {
  const schemas = new NamedSchemas();
  schemas.add('Error', schemas.named(errorSchema(endpoints)) as ReturnType<typeof errorSchema>);
  schemas.add('WrongCall', wrongCallSchema);
  schemas.add('BooleanWord', booleanWordSchema);
  const operations = endpoints.flatMap((endpoint) =>
    endpoint.methods.map((method) => describeOperation(endpoint, method, schemas)),
  );
  const parameters = new SharedParts(
    'parameters',
    operations.flatMap(({ operationId, described }) =>
      described.parameters.map((value) => ({ name: value.name, value, operationId })),
    ),
  );
  const responses = new SharedParts(
    'responses',
    operations.flatMap(({ operationId, success, errors }) => [
      { ...success, operationId },
      ...Object.entries(errors).map(([status, value]) => ({ name: phraseOf(status), value, operationId })),
    ]),
  );
  const paths: Record<string, Record<string, object>> = {};
  for (const { path, method, operationId, described, success, created, errors } of operations) {
    const own = Object.entries(errors).filter(([, value]) => !isUsual(value));
    const failures = own.map(
      ([status, value]) => [status, responses.reference({ name: phraseOf(status), value })] as const,
    );
    const others = own.length === Object.keys(errors).length ? {} : { default: usualReference };
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = {
      ...described,
      operationId,
      parameters: described.parameters.map((value) => parameters.reference({ name: value.name, value })),
      responses: {
        [created ? 201 : 200]: responses.reference(success),
        ...Object.fromEntries(failures),
        ...others,
      },
    };
  }
  const posted = describeWebhooks(api.posts ?? { posts: [], headers: {}, answers: {} }, schemas);
  return {
    openapi: '3.1.0',
    info: { title: 'Carillon', version: api.version, description: introduction, license },
    servers: [{ url: api.pathPrefix === '' ? '/' : api.pathPrefix, description: 'This server.' }],
    tags: [...new Set(endpoints.map(({ group }) => group))].map((name) => ({ name })),
    security: usualSecurity,
    paths,
    webhooks: posted.webhooks,
    components: {
      schemas: schemas.all(),
      parameters: { ...parameters.all(), ...posted.parameters },
      responses: { Failure: usualFailure(), ...responses.all(), ...posted.responses },
      headers: answerHeaders,
      securitySchemes,
    },
  };
}

const usualReference = { $ref: '#/components/responses/Failure' };
const license = { name: 'Apache-2.0', identifier: 'Apache-2.0' };

/** The operation as it appears in the document, before shared parts are replaced. */
function describeOperation<Caller>(endpoint: Endpoint<Caller>, method: Method, schemas: NamedSchemas) {
  const { path } = endpoint;
  const name = endpoint.operation ?? nameByPath(path);
  const hasJsonBody = takesBody(method) && endpoint.body !== 'lines';
  const described = {
    tags: [endpoint.group],
    summary: endpoint.title,
    description: endpoint.description,
    parameters: [
      ...urlParameters(endpoint, schemas).filter((one) => one.in === 'path' || !hasJsonBody),
      ...(endpoint.isIdempotent === true ? [idempotencyKey] : []),
      ...(endpoint.takesVersion === true ? [ifMatch] : []),
    ],
    ...(takesBody(method) ? { requestBody: requestBody(endpoint, name, schemas) } : {}),
    ...securityUnlessUsual(securityOf(endpoint, method)),
  };
  return {
    path,
    method,
    operationId: operationId(endpoint, method, name),
    described,
    success: success(endpoint, name, schemas),
    created: endpoint.creates !== undefined,
    errors: errorResponses(endpoint, method),
  };
}

/** If one call has several methods, POST gets the plain name, since it has no URL length limit. */
function operationId<Caller>({ methods }: Endpoint<Caller>, method: Method, name: string): string {
  if (methods.length === 1 || method === 'POST') return name;
  return `${name}By${capitalised(method.toLowerCase())}`;
}

/** Turns `/demo/echo` into `demoEcho`. */
function nameByPath(path: string): string {
  const [first = '', ...words] = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return first + words.map(capitalised).join('');
}

function urlParameters<Caller>({ path, table, example }: Endpoint<Caller>, schemas: NamedSchemas) {
  const inPath = namesInPath(path);
  return Object.values(table.parameters).flatMap((parameter) =>
    parameter.urlNames.map((urlName) => ({
      name: urlName.name,
      in: inPath.includes(urlName.name) ? 'path' : 'query',
      description: [parameter.description, urlName.note].filter((text) => text !== undefined).join(' '),
      // If a parameter has several names, none of them alone is required.
      ...(parameter.required && parameter.urlNames.length === 1 ? { required: true } : {}),
      ...(urlName.list ? { style: 'form', explode: false } : {}),
      schema: schemas.named(urlSchema(parameter, urlName)),
      ...exampleOf(typedExample(example?.url?.[urlName.name], urlName)),
    })),
  );
}

/** Converts a table's URL example into the value that the document's schema describes. */
function typedExample(example: string | readonly string[] | undefined, { schema, list }: UrlName): unknown {
  if (list && typeof example === 'string') return example.split(',');
  const { type, anyOf } = schema as {
    readonly type?: string;
    readonly anyOf?: readonly { readonly type?: string }[];
  };
  const isInteger = type === 'integer' || anyOf?.[0]?.type === 'integer';
  return isInteger && example !== undefined ? Number(example) : example;
}

function exampleOf(example: unknown): object {
  return example === undefined ? {} : { example };
}

function urlSchema(parameter: Parameter<unknown>, urlName: UrlName): object {
  return withClearing(wordedSchema(parameter, urlName), emptyText, parameter);
}

/** In a URL a boolean is a word; every other value is text in its JSON form. */
function wordedSchema(parameter: Parameter<unknown>, { schema }: UrlName): TSchema {
  const isBoolean = 'type' in schema && schema.type === 'boolean';
  if (!isBoolean)
    return { ...schema, ...(parameter.absent === undefined ? {} : { default: parameter.absent }) };
  const given = typeof parameter.absent === 'boolean' ? { default: parameter.absent ? 'T' : 'F' } : {};
  return Type.Unsafe({ ...booleanReference, ...given });
}

const booleanReference = { $ref: '#/components/schemas/BooleanWord' };
const booleanWordSchema = { type: 'string', enum: ['T', 'TRUE', 'Y', 'YES', 'F', 'FALSE', 'N', 'NO'] };

function requestBody<Caller>(endpoint: Endpoint<Caller>, name: string, schemas: NamedSchemas): object {
  if (endpoint.body === 'lines') {
    const text = { schema: { type: 'string' }, ...exampleOf(endpoint.example?.lines) };
    return { required: true, content: { 'text/plain': text } };
  }
  if (endpoint.body === 'foreign') {
    const object = { schema: { type: 'object' }, ...exampleOf(endpoint.example?.json) };
    return { required: true, content: { 'application/json': object } };
  }
  const inPath = namesInPath(endpoint.path);
  const inBody = Object.entries(endpoint.table.parameters).filter(([key]) => !inPath.includes(key));
  const parameters = Object.fromEntries(inBody);
  const properties = bodyCredentials(endpoint.credentials);
  const credentials = { type: 'object', title: credentialsName(endpoint), properties };
  const hasCredentials = Object.keys(properties).length > 0;
  const own = { ...objectSchema(parameters), ...(hasCredentials ? { allOf: [credentials] } : {}) };
  const schema =
    inBody.length === 0 && hasCredentials
      ? schemas.named(credentials)
      : schemas.namedAs(`${capitalised(name)}Request`, own);
  const isRequired =
    endpoint.needsBody === true || Object.values(parameters).some(({ required }) => required);
  const { json } = endpoint.example ?? {};
  const example = json === undefined || Object.keys(json).length === 0 ? {} : { example: json };
  return {
    ...(isRequired ? { required: true } : {}),
    content: { 'application/json': { schema, ...example } },
  };
}

/** The request schema of a call without parameters, which holds at most credentials. */
function credentialsName<Caller>({ credentials }: Endpoint<Caller>): string {
  return credentials.apiKey ? 'Credentials' : 'PasswordCredentials';
}

/** The answer to a call that succeeds, named after what it holds. */
function success<Caller>(endpoint: Endpoint<Caller>, operation: string, schemas: NamedSchemas) {
  const value = answer(endpoint, operation, schemas);
  const { $ref = '' } = value.content['application/json']?.schema ?? {};
  return { name: $ref.split('/').at(-1) || 'Success', value };
}

interface Answer {
  readonly description: string;
  readonly content: Readonly<Record<string, { readonly schema: { readonly $ref?: string } }>>;
}

function answer<Caller>(endpoint: Endpoint<Caller>, name: string, schemas: NamedSchemas): Answer {
  if (endpoint.answersCsv === true)
    return { description: 'Success.', content: { 'text/csv': { schema: endpoint.answer } } };
  if (endpoint.answersPage === true)
    return { description: 'Success.', content: { 'text/html': { schema: endpoint.answer } } };
  if (endpoint.answersLines === true)
    return { description: 'Success.', content: { 'application/jsonl': { schema: endpoint.answer } } };
  const schema = schemas.namedAs(`${capitalised(name)}Answer`, endpoint.answer) as object;
  const json = { 'application/json': { schema } };
  const text = { 'text/plain': { schema: { type: 'string' } } };
  const content = endpoint.answersText === true ? { ...json, ...text } : json;
  const headers = {
    ...(endpoint.creates === undefined ? {} : { Location: headerReference('Location') }),
    ...(endpoint.answersVersion === true ? { ETag: headerReference('ETag') } : {}),
  };
  return {
    description: endpoint.creates === undefined ? 'Success.' : 'Made.',
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content,
  };
}

function headerReference(name: keyof typeof answerHeaders): object {
  return { $ref: `#/components/headers/${name}` };
}

const answerHeaders = {
  Location: { description: 'Where to read the object.', schema: { type: 'string' } },
  ETag: {
    description: 'The `version` of the object in quotation marks, for the `If-Match` of a change.',
    schema: { type: 'string' },
    example: '"3"',
  },
} as const;

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A key of your choice for this call. Repeating the call with the same key within 24 hours returns the first answer, and nothing is sent twice.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const ifMatch = {
  name: 'If-Match',
  in: 'header',
  description:
    'The version that the change is based on, from an answer’s `ETag` (`"3"`). Nothing is changed if the object has a different version. Several versions are separated by commas. Omitted, or `*`: any version.',
  schema: { type: 'string' },
};
