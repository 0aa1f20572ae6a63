/** Reads a tree by the JSON Schema of what it must hold, and reports each fault at its own place. */
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import type { Fault } from './fault.ts';
import { type Field, type Fields, list, nearest, object, type Read } from './fields.ts';
import type { Tree } from './tree.ts';

/** The parts of JSON Schema that the sentences below can express. */
interface Schema {
  readonly type?: string;
  /** For a text that follows a pattern: in words, what the text must be. */
  readonly title?: string;
  readonly default?: unknown;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly TSchema[];
  readonly items?: TSchema;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  /** For an object with keys chosen by the author: one pattern for all of them. */
  readonly patternProperties?: Readonly<Record<string, TSchema>>;
  /** A description of such a key in words, and the known keys that may have been meant. */
  readonly propertyNames?: { readonly title: string; readonly examples?: readonly string[] };
  /** Whether the value, or each value of an object, must not be shown. */
  readonly secret?: boolean;
}

/** The fields of an object, as its schema describes them. */
export function fieldsBySchema(schema: TSchema): Fields {
  const { properties = {}, required = [] }: Schema = schema;
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, fieldOf(property, required.includes(name))]),
  );
}

function fieldOf(schema: TSchema, isRequired: boolean): Field<unknown> {
  const { default: absent }: Schema = schema;
  return {
    absent: isRequired && absent === undefined ? 'needed' : { value: absent },
    standIn: absent,
    read: bySchema(schema),
  };
}

function bySchema(schema: TSchema): Read<unknown> {
  const { patternProperties, properties, items, anyOf, minItems = 0, maxItems }: Schema = schema;
  if (patternProperties !== undefined) return (tree, faults) => readMap(schema, tree, faults);
  if (properties !== undefined) return readObject(schema);
  if (items !== undefined) return atLeast(minItems, list(bySchema(items), maxItems));
  if (anyOf !== undefined && choicesOf(schema) === undefined)
    return (tree, faults) => readAlternative(schema, anyOf, tree, faults);
  return (tree, faults) => readValue(schema, tree, faults);
}

function readObject(schema: TSchema): Read<unknown> {
  const fields = fieldsBySchema(schema);
  const read = object(fields);
  return (tree, faults) => {
    const found: Readonly<Record<string, unknown>> | undefined = read(tree, faults);
    if (found === undefined) return undefined;
    const values = Object.keys(fields).map((name) => [name, found[name]] as const);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined));
  };
}

function atLeast(least: number, read: Read<readonly unknown[]>): Read<readonly unknown[]> {
  return (tree, faults) => {
    const items = read(tree, faults);
    const count = tree.kind === 'list' ? tree.items.length : 0;
    if (items !== undefined && count < least)
      faults.push({
        place: tree.place,
        sentence: least === 1 ? 'must not be empty' : `must have at least ${least} items`,
      });
    return items;
  };
}

/** Reads what fits one of several schemas. The faults of an object are those of the schema that it is closest to. */
function readAlternative(
  schema: Schema,
  alternatives: readonly TSchema[],
  tree: Tree,
  faults: Fault[],
): unknown {
  const tries = alternatives.map((alternative) => {
    const own: Fault[] = [];
    return { value: bySchema(alternative)(tree, own), own, closeness: closenessOf(alternative, tree) };
  });
  const right = tries.find(({ own }) => own.length === 0);
  if (right !== undefined) return right.value;
  const closest = tries.reduce((best, one) => (one.closeness > best.closeness ? one : best));
  if (closest.closeness > Number.NEGATIVE_INFINITY) {
    faults.push(...closest.own);
    return undefined;
  }
  const expected = [
    ...new Set(alternatives.map((one) => expectation(one)?.replace('must be ', '') ?? 'an object with keys')),
  ];
  faults.push({ place: tree.place, sentence: `must be ${expected.join(', or ')}${meaning(schema)}` });
  return undefined;
}

/** How well the keys of an object fit the schema of an object: keys that belong there, without others and missing ones. */
function closenessOf({ properties, required = [] }: Schema, tree: Tree): number {
  if (properties === undefined || tree.kind !== 'map') return Number.NEGATIVE_INFINITY;
  const known = [...tree.entries.keys()].filter((key) => key in properties);
  const missing = required.filter((key) => !tree.entries.has(key));
  return 2 * known.length - tree.entries.size - missing.length;
}

function readValue(schema: TSchema, tree: Tree, faults: Fault[]): unknown {
  const { type }: Schema = schema;
  const value = type === 'string' && tree.kind === 'number' ? tree.source : plain(tree);
  const [error] = Value.Errors(schema, value);
  if (error === undefined) return value;
  faults.push({
    place: tree.place,
    sentence: `${expectation(schema) ?? error.message}${meaning(schema)}`,
  });
  return undefined;
}

/** Reads each entry separately, so that a fault is reported where it is. */
function readMap(
  { patternProperties = {}, propertyNames, description = '', secret = false }: Schema,
  tree: Tree,
  faults: Fault[],
): unknown {
  if (tree.kind === 'nothing') return {};
  if (tree.kind !== 'map') {
    faults.push({
      place: tree.place,
      sentence: `must be an object with keys: ${description.replace(/\.$/, '')}`,
    });
    return undefined;
  }
  const [[pattern, schema] = ['', {} as TSchema]] = Object.entries(patternProperties);
  const keys = new RegExp(pattern);
  const read = bySchema(schema);
  const values: [string, unknown][] = [];
  for (const [key, { place, value }] of tree.entries) {
    if (keys.test(key)) values.push([key, read(value, faults)]);
    else {
      // A secret may stand where its name should.
      const shown = secret ? { ...place, path: tree.place.path } : place;
      faults.push({ place: shown, sentence: keyFault(key, propertyNames) });
    }
  }
  return Object.fromEntries(values);
}

function keyFault(key: string, names: Schema['propertyNames']): string {
  const meant = nearest(key, names?.examples ?? []);
  const advice = meant === undefined ? '' : `; did you mean ${meant}?`;
  return `${names?.title === undefined ? 'this key is not known' : `the key must be ${names.title}`}${advice}`;
}

function choicesOf(schema: Schema): readonly unknown[] | undefined {
  const choices = schema.enum ?? schema.anyOf?.map((choice: Schema) => choice.const);
  return choices?.every((choice) => choice !== undefined) ? choices : undefined;
}

/** Undefined when this kind of schema has a separate error that explains the fault better. */
function expectation(schema: Schema): string | undefined {
  const choices = choicesOf(schema);
  if (choices !== undefined) return `must be one of ${choices.join(', ')}`;
  if (schema.const !== undefined) return `must be ${schema.const}`;
  if (schema.type === 'boolean') return 'must be true or false';
  if (schema.type === 'integer' || schema.type === 'number') {
    const noun = schema.type === 'integer' ? 'a whole number' : 'a number';
    return `must be ${noun}${bounds(schema.minimum, schema.maximum)}`;
  }
  if (schema.type !== 'string') return undefined;
  if ('pattern' in schema) return schema.title === undefined ? undefined : `must be ${schema.title}`;
  const length = bounds(schema.minLength, schema.maxLength);
  return `must be a text${length === '' ? '' : ` with a length${length}`}`;
}

function meaning({ description }: Schema): string {
  return description === undefined ? '' : `: ${description.replace(/\.$/, '')}`;
}

function bounds(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`;
  if (least !== undefined) return ` of at least ${least}`;
  return most === undefined ? '' : ` of at most ${most}`;
}

/** The value as any JSON. */
export function plain(tree: Tree): unknown {
  switch (tree.kind) {
    case 'map':
      return Object.fromEntries([...tree.entries].map(([name, { value }]) => [name, plain(value)]));
    case 'list':
      return tree.items.map(plain);
    case 'nothing':
      return null;
    default:
      return tree.value;
  }
}
