/**
 * What stands once in the OpenAPI document and is referred to: schemas that have a name, and parameters and answers that
 * several operations share. Clients that are generated from the document get a type for each name.
 */
import { isDeepStrictEqual } from 'node:util';

type Json = Readonly<Record<string, unknown>>;

/** Collects the schemas that have a name while the document is written. */
export class NamedSchemas {
  readonly #schemas = new Map<string, Json>();
  readonly #alike = new Map<string, string>();

  /** The schema, in which every object with a `title` is replaced by a reference to that name. */
  named(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((item) => this.named(item));
    if (typeof schema !== 'object' || schema === null) return schema;
    const { title, ...rest } = schema as Json;
    const within = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, this.named(value)]));
    // A field of this name has a schema, not a text.
    if (title !== undefined && typeof title !== 'string') return { title: this.named(title), ...within };
    if (title === undefined) return within;
    if (within.type !== 'object') return this.add(title, within);
    // What an object is to the one that holds it is no part of what it is.
    const { description, ...own } = within;
    return { ...this.add(title, own), ...(description === undefined ? {} : { description }) };
  }

  /**
   * An object without a name of its own gets that of the first object that was like it, else this one. Any other schema
   * stays where it is.
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
    return Object.fromEntries([...this.#schemas].sort(([one], [other]) => (one < other ? -1 : 1)));
  }
}

interface Use {
  readonly json: string;
  readonly value: object;
  readonly name: string;
  readonly firstOperation: string;
  count: number;
}

/**
 * Parameters or answers of all operations, of which those that several have stand once under `components`. The commonest of
 * its name is called so (`Unauthorized`, `limit`), any other by the first operation that has it as well
 * (`ConflictOfCreateWebhook`).
 */
export class SharedParts {
  readonly #kind: 'parameters' | 'responses';
  readonly #uses = new Map<string, Use>();
  #names: ReadonlyMap<string, string> = new Map();

  constructor(kind: 'parameters' | 'responses') {
    this.#kind = kind;
  }

  count(name: string, value: object, firstOperation: string): void {
    const json = JSON.stringify(value);
    const key = name + json;
    const use = this.#uses.get(key) ?? { json, value, name, firstOperation, count: 0 };
    use.count += 1;
    this.#uses.set(key, use);
  }

  /** After all were counted. */
  reference(name: string, value: object): object {
    const shared = this.#nameOf(name + JSON.stringify(value));
    return shared === undefined ? value : { $ref: `#/components/${this.#kind}/${shared}` };
  }

  #nameOf(key: string): string | undefined {
    if (this.#names.size === 0) this.#names = this.#giveNames();
    return this.#names.get(key);
  }

  #giveNames(): ReadonlyMap<string, string> {
    const taken = new Set<string>();
    const names = new Map<string, string>();
    const commonestFirst = [...this.#uses].sort(([, one], [, other]) => other.count - one.count);
    for (const [key, { name, firstOperation, count }] of commonestFirst) {
      if (count === 1) continue;
      const given = taken.has(name) ? `${name}Of${capitalised(firstOperation)}` : name;
      taken.add(given);
      names.set(key, given);
    }
    return names;
  }

  all(): Json {
    const named = [...this.#uses].flatMap(([key, { value }]) => {
      const name = this.#nameOf(key);
      return name === undefined ? [] : [[name, value] as const];
    });
    return Object.fromEntries(named);
  }
}

export function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
