import { Validator } from '@seriousme/openapi-schema-validator';
import Type from 'typebox';
import { describe, expect, test } from 'vitest';
import { demoEndpoints } from '../../../test/harness/http-demo.ts';
import { withoutReferences } from '../../../test/harness/openapi-document.ts';
import { anyMethod } from '../credentials/credentials.ts';
import { endpointsFor } from '../endpoints/endpoint.ts';
import { boolean, integer, text } from '../parameters/kinds.ts';
import { clearable } from '../parameters/parameter.ts';
import { openApiDocument } from './openapi.ts';
import { withSharedFields } from './openapi-shared-fields.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is read here as any JSON.
const document: any = JSON.parse(
  JSON.stringify(openApiDocument(demoEndpoints(), { version: '1.2.3', pathPrefix: '/sms' })),
);
const api = withoutReferences(document);
const echo = api.paths['/demo/echo'];

describe('the OpenAPI document', () => {
  test('[CONV-2] The OpenAPI document is valid', async () => {
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.2.3' },
      servers: [{ url: '/sms' }],
    });
  });

  test('[CONV-2] The OpenAPI document has every endpoint with every method', () => {
    const declared = demoEndpoints().flatMap(({ path, methods }) =>
      methods.map((method) => `${method.toLowerCase()} ${path}`),
    );
    const shown = Object.keys(api.paths).flatMap((path) =>
      Object.keys(api.paths[path]).map((method) => `${method} ${path}`),
    );
    expect(shown.sort()).toEqual(declared.sort());
  });

  test('[CONV-2] The OpenAPI document shows the names, types and defaults of URL parameters', () => {
    const named = (name: string) =>
      echo.get.parameters.find((parameter: { name: string }) => parameter.name === name);
    expect(named('V').schema).toEqual({ type: 'integer', minimum: 1, maximum: 10_080, default: 1440 });
    expect(named('Z').schema).toMatchObject({
      type: 'string',
      default: 'F',
      enum: expect.arrayContaining(['YES']),
    });
    expect(named('T')).toMatchObject({ style: 'form', explode: false, schema: { type: 'array' } });
    expect(named('M').description).toContain('ISO-8859-1');
    expect(named('2').description).toContain('not_available');
    expect(named('TPID')).toBeDefined();
    const [required] = api.paths['/demo/required'].get.parameters;
    expect(required).toMatchObject({ name: 'EM', required: true });
  });

  test('[CONV-2] The OpenAPI document shows the fields of a JSON body, including its credentials', () => {
    const { properties, allOf } = echo.post.requestBody.content['application/json'].schema;
    expect(properties.flash).toEqual({
      type: 'boolean',
      default: false,
      description: 'Whether it is a flash SMS.',
    });
    expect(properties.tosubst.items.required).toEqual(['to']);
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(['to', 'message']));
    expect(allOf.map((one: { properties: object }) => Object.keys(one.properties))).toEqual([
      ['username', 'password', 'apikey'],
    ]);
    expect(properties.M8).toBeUndefined();
    expect(api.paths['/demo/lines'].post.requestBody.content).toHaveProperty('text/plain');
    expect(api.paths['/demo/lines'].post.parameters).toMatchObject([{ name: 'M8' }]);
  });

  test('[AUTH-1] The OpenAPI document shows which credential methods an endpoint accepts', () => {
    const methods = (path: string, method: string) =>
      (api.paths[path][method].security ?? api.security).map((requirement: object) =>
        Object.keys(requirement).join('+'),
      );
    expect(methods('/demo/echo', 'get')).toEqual([
      'basic',
      'useridHeader+passwordHeader',
      'usernameUrl+passwordUrl',
      'apiKeyHeader',
      'apiKeyUrl',
    ]);
    expect(methods('/demo/echo', 'post')).not.toContain('usernameUrl+passwordUrl');
    expect(methods('/demo/lines', 'post')).toContain('usernameUrl+passwordUrl');
    expect(methods('/demo/key', 'get')).toEqual(['basic']);
    expect(methods('/demo/books', 'get')).not.toContain('apiKeyHeader');
  });

  test('[CONV-10] The OpenAPI document names the codes of each error response, and where 401 has no body', () => {
    expect(Object.keys(echo.post.responses)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '413',
      '415',
      '429',
      '500',
      '503',
    ]);
    const { code } = echo.post.responses[400].content['application/json'].schema.allOf[1].properties;
    expect(code.enum).toEqual(
      expect.arrayContaining(['duplicate_parameter', 'missing_parameter', 'bad_json']),
    );
    const { description } = api.components.schemas.Error.properties.code;
    expect(description).toMatch(/^- `bad_json`: .+\n(- .+\n)*- `missing_parameter`: /m);
    expect(api.paths['/demo/books'].get.responses[401].content).toBeUndefined();
  });

  test('[CONV-10] The OpenAPI document says once what any operation can answer', () => {
    const { responses } = document.paths['/demo/echo'].post;
    expect(Object.keys(responses)).toEqual(['200', 'default']);
    const usual = document.components.responses.Failure;
    expect(responses.default).toEqual({ $ref: '#/components/responses/Failure' });
    expect(usual.description).toMatch(
      /^- 401 `unauthorised`\n- 403 `role_missing`\n- 403 `scope_missing`\n/m,
    );
    const { code } = usual.content['application/json'].schema.allOf[1].properties;
    expect(code.enum).toContain('body_too_large');
    expect(document.paths['/demo/books'].get.responses[401]).toBeDefined();
  });

  test('[CONV-2] [PORT-4] The OpenAPI document shows which responses have a version, and which calls take a version', () => {
    const { get, patch } = api.paths['/api/v1/notes/{id}'];
    const made = api.paths['/api/v1/notes'].post;
    expect(patch.parameters).toContainEqual(expect.objectContaining({ name: 'If-Match', in: 'header' }));
    expect(get.responses[200].headers).toHaveProperty('ETag.schema');
    expect(Object.keys(made.responses[201].headers)).toEqual(['Location', 'ETag']);
    expect(patch.responses[412].description).toContain('`changed_meanwhile`');
    expect(made.responses[412]).toBeUndefined();
  });

  test('[CONV-2] The OpenAPI document says once which fields several schemas have in common', () => {
    const text = (length: number) => ({ type: 'string', description: 'x'.repeat(length) });
    const schema = (own: string, ...required: string[]) => ({
      type: 'object',
      required,
      properties: { id: text(200), name: text(200), note: text(1), [own]: text(1) },
    });
    const schemas = { Ward: schema('beds', 'id'), ListedWard: schema('free', 'id', 'note') };
    const shared = withSharedFields(schemas);
    expect(shared.WardFields).toEqual({
      type: 'object',
      required: ['id'],
      properties: { id: text(200), name: text(200) },
    });
    expect(shared.ListedWard).toEqual({
      type: 'object',
      allOf: [{ $ref: '#/components/schemas/WardFields' }],
      required: ['note'],
      properties: { note: text(1), free: text(1) },
    });
    expect(withSharedFields({ Ward: schemas.Ward })).toEqual({ Ward: schemas.Ward });
  });

  test('[CONV-2] [CONV-6] The OpenAPI document shows what clears a setting, and the extra fields in the bodies of some errors', async () => {
    const settings = endpointsFor<null>()({
      path: '/demo/settings',
      methods: ['GET', 'POST'],
      group: 'Demo',
      title: 'Settings',
      description: 'Settings.',
      credentials: anyMethod,
      parameters: {
        sender: clearable(text({ get: 'SD', maxLength: 11, description: 'Sender.' })),
        maxSms: clearable(integer({ get: 'MS', min: 1, max: 255, description: 'Parts.' })),
        checkMobile: clearable(boolean({ get: 'CM', description: 'Check.' })),
      },
      answer: Type.Object({}),
      errors: ['domain_not_allowed', 'not_found'],
      errorSchemas: { domain_not_allowed: { allowedDomainEndings: Type.Array(Type.String()) } },
      handle: () => ({}),
    });
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    const document: any = JSON.parse(
      JSON.stringify(openApiDocument([settings], { version: '1', pathPrefix: '' })),
    );
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
    const { get, post } = withoutReferences(document).paths['/demo/settings'];
    const empty = { type: 'string', const: '' };
    const { properties } = post.requestBody.content['application/json'].schema;
    expect(properties.sender.anyOf).toEqual([{ type: 'string', maxLength: 11 }, empty]);
    expect(properties.maxSms.anyOf).toMatchObject([{ type: 'integer' }, { pattern: '^[0-9]+$' }, empty]);
    expect(properties.checkMobile.anyOf).toEqual([{ type: 'boolean' }, { type: 'null' }]);
    for (const { schema } of get.parameters) expect(schema.anyOf.at(-1)).toEqual(empty);
    const own = (status: number) =>
      post.responses[status].content['application/json'].schema.allOf[1].properties;
    expect(own(400)).toMatchObject({ allowedDomainEndings: { type: 'array' } });
    expect(own(404)).not.toHaveProperty('allowedDomainEndings');
  });
});
