/** Reads the server's OpenAPI document: which calls exist, and what each response must look like. */
import Schema, { type Validator } from 'typebox/schema';
import { withoutReferences } from '../harness/openapi-document.ts';

export interface JsonSchema {
  readonly description?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly allOf?: readonly JsonSchema[];
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

export interface QueryParameter {
  readonly name: string;
  readonly description?: string;
  readonly schema: JsonSchema;
}

/** What a response with this status must be; without content types, there is no body. */
export interface DeclaredAnswer {
  readonly contents: ReadonlyMap<string, Validator>;
}

export interface Operation {
  readonly path: string;
  readonly method: string;
  readonly query: readonly QueryParameter[];
  /** The schema of the JSON body, if the call takes one. */
  readonly body: JsonSchema | undefined;
  readonly answers: ReadonlyMap<number, DeclaredAnswer>;
}

export interface ApiDescription {
  readonly operations: readonly Operation[];
  /** The schema of every error body. */
  readonly error: Validator;
}

interface Content {
  readonly schema: JsonSchema;
}

interface OpenApiOperation {
  readonly parameters: readonly (QueryParameter & { readonly in: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

export async function describeApi(baseUrl: string): Promise<ApiDescription> {
  const answer = await fetch(`${baseUrl}/docs/openapi.json`);
  return readDescription(withoutReferences((await answer.json()) as OpenApiDocument));
}

/** Merges shared parts, such as credentials, into the body's schema. */
function whole(schema: JsonSchema | undefined): JsonSchema | undefined {
  if (schema?.allOf === undefined) return schema;
  const shared = schema.allOf.map(({ properties }) => properties);
  return { ...schema, properties: Object.assign({}, ...shared, schema.properties) };
}

function readDescription({ paths, components }: OpenApiDocument): ApiDescription {
  const compile = (schema: JsonSchema): Validator => Schema.Compile(schema);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      query: operation.parameters.filter((parameter) => parameter.in === 'query'),
      body: whole(operation.requestBody?.content['application/json']?.schema),
      answers: new Map(
        Object.entries(operation.responses).map(([status, { content = {} }]) => [
          Number(status),
          { contents: new Map(Object.entries(content).map(([type, { schema }]) => [type, compile(schema)])) },
        ]),
      ),
    })),
  );
  return { operations, error: compile(components.schemas.Error as JsonSchema) };
}
