/** The OpenAPI document of the whole service, as seen by someone who generates a client from it. */
import { Validator } from '@seriousme/openapi-schema-validator';
import Schema from 'typebox/schema';
import { expect, test } from 'vitest';
import { allEndpoints, everyEndpoint } from '../../scripts/docs/generated-documents.ts';
import { openApiDocument } from '../../src/http/docs/openapi.ts';
import { describedPosts } from '../../src/webhooks/management/posted-bodies.ts';
import { withoutReferences } from '../harness/openapi-document.ts';

interface Example {
  readonly schema: object;
  readonly example?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly parameters: readonly (Example & { readonly name: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Example>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Example>> }>>;
}

interface Document {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<
    Record<'schemas' | 'parameters' | 'responses' | 'headers', Readonly<Record<string, object>>>
  >;
}

interface Fields {
  readonly properties?: Readonly<Record<string, Fields>>;
  readonly items?: Fields;
}

const text = JSON.stringify(
  openApiDocument(allEndpoints, { version: '1.2.3', pathPrefix: '', posts: describedPosts }),
);
const document = JSON.parse(text) as Document;
const operations = Object.values(withoutReferences(document).paths).flatMap((methods) =>
  Object.values(methods),
);

test('[CONV-2] The OpenAPI document is valid, and smaller than 500 kB', async () => {
  expect(await new Validator().validate(JSON.parse(text))).toEqual({ valid: true });
  expect(Buffer.byteLength(text)).toBeLessThan(500_000);
});

/** The verbs with which the names of operations begin, and so those of the functions in generated clients. */
const verbs = [
  'list get find create update delete query set unset count export import pull',
  'send resend message answer reply mark archive unarchive assign test replay',
  'preview rehearse start pause resume extend escalate accept decline reschedule',
  'cancel abort undo erase settle revoke issue rotate finish activate deactivate enable disable',
].flatMap((some) => some.split(' '));

test('[CONV-2] Each operation of the OpenAPI document is named by a verb, and no two names are alike', () => {
  expect(everyEndpoint.filter(({ operation }) => operation === undefined)).toEqual([]);
  const names = operations.map(({ operationId }) => operationId);
  expect(names.filter((name) => !/^[a-z]+([A-Z][a-z]*)+$/.test(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
  const used = new Set(names.map((name) => /^[a-z]+/.exec(name)?.[0] ?? ''));
  expect([...used].sort()).toEqual(verbs.toSorted());
});

test('[CONV-2] Each operation in the OpenAPI document has one tag, which all operations on one noun of /api/v1 share', () => {
  const tagsOfNouns = new Map<string, Set<string>>();
  for (const [path, methods] of Object.entries(document.paths))
    for (const { operationId, tags } of Object.values(methods)) {
      expect([operationId, tags.length]).toEqual([operationId, 1]);
      const noun = /^\/api\/v1\/([^/.]+)/.exec(path)?.[1] ?? path;
      tagsOfNouns.set(noun, new Set([...(tagsOfNouns.get(noun) ?? []), ...tags]));
    }
  expect([...tagsOfNouns].filter(([, tags]) => tags.size > 1)).toEqual([]);
  const used = new Set([...tagsOfNouns.values()].flatMap((tags) => [...tags]));
  expect(document.tags.map(({ name }) => name)).toEqual([...used]);
});

test('[CONV-2] Each request and each response in the OpenAPI document that is an object has a named schema', () => {
  const inPlace = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody, responses }]) =>
      [requestBody, responses[200] ?? responses[201]]
        .flatMap((one) => Object.values(one?.content ?? {}))
        .filter(({ schema }) => 'properties' in schema)
        .map(() => `${method} ${path}`),
    ),
  );
  expect(inPlace).toEqual([]);
  const names = Object.keys(document.components.schemas);
  for (const name of names) expect(name).toMatch(/^([A-Z][a-z]*)+$/);
  // A schema that is not itself a noun is named after the operation that has it.
  const ofOperations = names.flatMap((name) => /^(.+)(?:Request|Answer)$/.exec(name)?.[1] ?? []);
  const ids = operations.map(({ operationId }) => operationId.toLowerCase());
  expect(ofOperations.filter((name) => !ids.includes(name.toLowerCase()))).toEqual([]);
});

test('[CONV-2] Each operation in the OpenAPI document is described, and each component is used', () => {
  const undescribed = operations.filter(({ summary, description }) => !summary || !description);
  expect(undescribed.map(({ operationId }) => operationId)).toEqual([]);
  const { schemas, parameters, responses, headers } = document.components;
  const components = Object.entries({ schemas, parameters, responses, headers }).flatMap(([kind, parts]) =>
    Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
  );
  expect(components.filter((one) => !text.includes(`"$ref":"${one}"`))).toEqual([]);
});

test('[CONV-2] Each example in the OpenAPI document matches its schema', () => {
  const examples = operations.flatMap(({ operationId, parameters, requestBody }) =>
    [
      ...parameters.map((one) => [`${operationId} ${one.name}`, one] as const),
      ...Object.values(requestBody?.content ?? {}).map((one) => [`${operationId} body`, one] as const),
    ].filter(([, { example }]) => example !== undefined),
  );
  const wrong = examples.filter(([, { schema, example }]) => !Schema.Compile(schema).Check(example));
  expect(wrong.map(([name]) => name)).toEqual([]);
  expect(examples.length).toBeGreaterThan(100);
});

test('[CONV-2] Each list of words in the OpenAPI document states their type', () => {
  const untyped: string[] = [];
  const look = (value: unknown, place: string) => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray((value as { readonly enum?: unknown }).enum) && !('type' in value)) untyped.push(place);
    for (const [key, inner] of Object.entries(value)) look(inner, `${place}/${key}`);
  };
  look(document, '');
  expect(untyped).toEqual([]);
});

test('[CONV-2] [PORT-4] Each object in a response that has a version has that version as its ETag too', () => {
  const hasVersion = ({ answer }: (typeof allEndpoints)[number]) =>
    Object.hasOwn((answer as { readonly properties?: object }).properties ?? {}, 'version');
  const versioned = allEndpoints.filter(({ path }) => path.startsWith('/api/v1/')).filter(hasVersion);
  const untagged = versioned.filter(({ answersVersion }) => answersVersion !== true);
  // An earlier version has its own path, below which nothing changes.
  expect(untagged.map(({ operation }) => operation)).toEqual(['getTemplateVersion']);
  expect(allEndpoints.filter((one) => one.answersVersion === true && !hasVersion(one))).toEqual([]);
});

/**
 * These operations take the same bodies, with the same field names, as the paths of the messaging API; the first two also give
 * the same answers.
 */
const ofContract = [
  'sendMessages',
  'createBatch',
  'previewMessages',
  'previewBatch',
  'rehearseSavedJob',
  'startRun',
];

test('[CONV-2] A field of the management API has one name, in camelCase, wherever it occurs', () => {
  const names = new Set<string>();
  const look = ({ properties = {}, items }: Fields) => {
    for (const [name, inner] of Object.entries(properties)) {
      names.add(name);
      look(inner);
    }
    if (items !== undefined) look(items);
  };
  for (const { path, operation = '', table, answer } of allEndpoints) {
    if (!path.startsWith('/api/v1/')) continue;
    if (!ofContract.slice(0, 2).includes(operation)) look(answer as Fields);
    if (!ofContract.includes(operation)) for (const name of Object.keys(table.parameters)) names.add(name);
  }
  const known = new Map([...names].map((name) => [name.toLowerCase(), name]));
  expect([...names].filter((name) => known.get(name.toLowerCase()) !== name)).toEqual([]);
  expect([...names].filter((name) => !/^[a-z][a-zA-Z0-9]*$/.test(name))).toEqual([]);
});
