/**
 * Shared components of the OpenAPI document: named schemas, and the parameters and responses that several operations have in
 * common. Clients generated from the document get a type for each name.
 */
import { isDeepStrictEqual } from 'node:util';
import { groupedBy } from '../../foundation/grouped.ts';
import { withSharedFields } from './openapi-shared-fields.ts';

type Json = Readonly<Record<string, unknown>>;

/** Collects named schemas while the document is written. */
export class NamedSchemas {
  readonly #schemas = new Map<string, Json>();
  readonly #alike = new Map<string, string>();

  /** Returns the schema with every object that has a `title` replaced by a reference to that name. */
  named(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((item) => this.named(item));
    if (typeof schema !== 'object' || schema === null) return schema;
    const { title, ...rest } = schema as Json;
    const within = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, this.named(value)]));
    // Here `title` is a field with a schema, not the schema's own title.
    if (title !== undefined && typeof title !== 'string') return { title: this.named(title), ...within };
    if (title === undefined) return within;
    if (within.type !== 'object') return this.add(title, within);
    // A description says what an object is to its container and is not part of the object's schema.
    const { description, ...own } = within;
    return { ...this.add(title, own), ...(description === undefined ? {} : { description }) };
  }

  /**
   * An object without its own name gets the name of the first equal object, or else this one. Any other schema stays in
   * place.
   */
  namedAs(name: string, schema: object): unknown {
    const { type, title } = schema as Json;
    if (type !== 'object' || title !== undefined) return this.named(schema);
    const within = this.named(schema) as Json;
    const key = JSON.stringify(within);
    const known = this.#alike.get(key) ?? name;
    this.#alike.set(key, known);
    return this.add(known, within);
  }

  add(name: string, schema: Json): Json {
    const known = this.#schemas.get(name);
    if (known !== undefined && !isDeepStrictEqual(known, schema))
      throw new Error(`two schemas of the OpenAPI document are called ${name}`);
    this.#schemas.set(name, schema);
    return { $ref: `#/components/schemas/${name}` };
  }

  /** In alphabetical order. */
  all(): Json {
    const shared = withSharedFields(Object.fromEntries(this.#schemas));
    return Object.fromEntries(Object.entries(shared).sort(([one], [other]) => (one < other ? -1 : 1)));
  }
}

/** A parameter or an error response in the form an operation has it. */
export interface Part {
  /** The preferred name of the part: that of the parameter, or the phrase of a status. */
  readonly name: string;
  readonly value: object;
  readonly operationId: string;
}

/**
 * Parts shared by several operations appear once under `components`. The most common part of a name gets that name
 * (`Unauthorized`, `limit`); any other also gets the name of the first operation that has it
 * (`ConflictOfCreateWebhook`).
 */
export class SharedParts {
  readonly #kind: 'parameters' | 'responses';
  /** The values by assigned name, and the names by `keyOf` the part. */
  readonly #values = new Map<string, object>();
  readonly #names = new Map<string, string>();
  readonly #referred = new Set<string>();

  constructor(kind: 'parameters' | 'responses', parts: readonly Part[]) {
    this.#kind = kind;
    const uses = [...groupedBy(parts, keyOf)].filter(([, same]) => same.length > 1);
    for (const [key, [first]] of uses.sort(([, one], [, other]) => other.length - one.length)) {
      const { name, value, operationId } = first as Part;
      const given = this.#values.has(name) ? `${name}Of${capitalised(operationId)}` : name;
      this.#values.set(given, value);
      this.#names.set(key, given);
    }
  }

  /** The reference that replaces the part. */
  reference(part: Omit<Part, 'operationId'>): object {
    const name = this.#names.get(keyOf(part));
    if (name === undefined) return part.value;
    this.#referred.add(name);
    return { $ref: `#/components/${this.#kind}/${name}` };
  }

  /** Only those that something refers to. */
  all(): Json {
    return Object.fromEntries([...this.#values].filter(([name]) => this.#referred.has(name)));
  }
}

function keyOf({ name, value }: Omit<Part, 'operationId'>): string {
  return name + JSON.stringify(value);
}

export function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
