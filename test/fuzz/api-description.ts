/** Reads the server's OpenAPI document: what may be asked, and what each answer must look like. */
import Schema, { type Validator } from 'typebox/schema';

export interface JsonSchema {
  readonly description?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
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

/** What an answer of one status must be; no content type: no body. */
export interface DeclaredAnswer {
  readonly contents: ReadonlyMap<string, Validator>;
}

export interface Operation {
  readonly path: string;
  readonly method: string;
  readonly query: readonly QueryParameter[];
  /** Of a JSON body, where it takes one. */
  readonly body: JsonSchema | undefined;
  readonly answers: ReadonlyMap<number, DeclaredAnswer>;
}

export interface ApiDescription {
  readonly operations: readonly Operation[];
  /** The body of every error. */
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
  return readDescription((await answer.json()) as OpenApiDocument);
}

function readDescription({ paths, components }: OpenApiDocument): ApiDescription {
  const compile = (schema: JsonSchema): Validator => Schema.Compile(resolved(schema, components.schemas));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      query: operation.parameters.filter((parameter) => parameter.in === 'query'),
      body: operation.requestBody?.content['application/json']?.schema,
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

/** With every reference replaced by what it refers to. */
function resolved(schema: unknown, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  if (Array.isArray(schema)) return schema.map((item) => resolved(item, schemas)) as JsonSchema;
  if (typeof schema !== 'object' || schema === null) return schema as unknown as JsonSchema;
  if ('$ref' in schema) {
    const name = String(schema.$ref).split('/').at(-1) ?? '';
    return resolved(schemas[name], schemas);
  }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, resolved(value, schemas)]));
}
