/** Walks all endpoint tables: every text must have a maximum length and every list a maximum count, and both are enforced. */
import { describe, expect, test } from 'vitest';
import { everyEndpoint } from '../../scripts/docs/generated-documents.ts';
import { Faults } from '../../src/http/parameters/faults.ts';
import type { Parameter } from '../../src/http/parameters/parameter.ts';

/** The part of JSON Schema that the tables use. */
interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** Places where a value may be as large as its sender likes. */
function unbounded(schema: Schema, place: string): readonly string[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((one) => unbounded(one, place));
  switch (schema.type) {
    case 'string':
      return isFixed(schema) || schema.maxLength !== undefined ? [] : [`${place} has no length`];
    case 'array':
      return [
        ...(schema.maxItems === undefined ? [`${place} has no count`] : []),
        ...unbounded(schema.items ?? {}, `${place}[]`),
      ];
    case 'object':
      return schema.additionalProperties === undefined
        ? Object.entries(schema.properties ?? {}).flatMap(([key, field]) =>
            unbounded(field, `${place}.${key}`),
          )
        : [
            ...(schema.maxProperties === undefined ? [`${place} has no count`] : []),
            ...unbounded(schema.propertyNames ?? {}, `a label of ${place}`),
            ...unbounded(schema.additionalProperties, `a text of ${place}`),
          ];
    default:
      return isPlain(schema) ? [] : [`${place} is ${schema.type}, which this test does not know`];
  }
}

function isFixed(schema: Schema): boolean {
  return schema.enum !== undefined || schema.const !== undefined;
}

function isPlain({ type = '' }: Schema): boolean {
  return ['boolean', 'integer', 'null'].includes(type);
}

/** Values that each exceed one limit by one. */
function tooLarge(schema: Schema): readonly unknown[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap(tooLarge);
  if (schema.type === 'string') return isFixed(schema) ? [] : ['1'.repeat((schema.maxLength ?? 0) + 1)];
  if (schema.type === 'array') {
    const { items = {}, maxItems = 0 } = schema;
    return [Array(maxItems + 1).fill(sample(items)), ...tooLarge(items).map((item) => [item])];
  }
  if (schema.type !== 'object') return [];
  const { additionalProperties: text, propertyNames: label, maxProperties = 0 } = schema;
  if (text === undefined || label === undefined) {
    return Object.entries(schema.properties ?? {}).flatMap(([key, field]) =>
      tooLarge(field).map((value) => ({ ...(sample(schema) as object), [key]: value })),
    );
  }
  return [
    Object.fromEntries(Array.from({ length: maxProperties + 1 }, (_, index) => [`label ${index}`, ''])),
    ...tooLarge(label).map((long) => ({ [String(long)]: '' })),
    ...tooLarge(text).map((long) => ({ label: long })),
  ];
}

function sample(schema: Schema): unknown {
  switch (schema.type) {
    case 'string':
      return schema.enum?.[0] ?? '1';
    case 'array':
      return [sample(schema.items ?? {})];
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((key) => [
          key,
          key === 'tagFilter' ? 'a:1' : sample(schema.properties?.[key] ?? {}),
        ]),
      );
    default:
      return 1;
  }
}

/** A thread reads these; `src/batches/intake/recipient.test.ts` tests their bounds. */
const readElsewhere: ReadonlySet<string> = new Set(['/restsms/svcrest/batchsend/json batch']);

const parameters = everyEndpoint.flatMap(({ path, table }) =>
  Object.entries<Parameter<unknown>>(table.parameters).map(([name, parameter]) => ({
    place: `${path} ${name}`,
    name,
    parameter,
    table,
  })),
);

describe('whatever a parameter is given', () => {
  test('[CONV-12] Every text of a parameter has a maximum length in its table, and every list a maximum count', () => {
    const places = parameters.flatMap(({ place, parameter }) => [
      ...unbounded(parameter.schema, place),
      ...parameter.urlNames.flatMap(({ name, schema }) => unbounded(schema, `${place} (${name} in a URL)`)),
    ]);
    expect(parameters.length).toBeGreaterThan(80);
    expect(places).toEqual([]);
  });

  test('[CONV-2] What is only called by a URL has a name there for each parameter', () => {
    const called = everyEndpoint.filter(({ methods }) => methods.every((method) => method === 'GET'));
    const nameless = called.flatMap(({ path, table }) =>
      Object.entries<Parameter<unknown>>(table.parameters)
        .filter(([name, { urlNames }]) => urlNames.length === 0 && !path.includes(`{${name}}`))
        .map(([name]) => `${path} ${name}`),
    );
    expect(called.length).toBeGreaterThan(40);
    expect(nameless).toEqual([]);
  });

  test.each(parameters.filter(({ place }) => !readElsewhere.has(place)))(
    '[CONV-12] $place: beyond its bounds it is a fault',
    ({ name, parameter, table }) => {
      const codesOf = (read: (faults: Faults) => unknown) => {
        const faults = new Faults();
        read(faults);
        return faults.asError()?.errors.map(({ field, code }) => `${field} ${code}`) ?? [];
      };
      const kept = /(invalid_\w+|text_too_long)$/;
      for (const value of tooLarge(parameter.schema)) {
        const codes = codesOf((faults) => table.fromJson({ [name]: value }, faults));
        expect(codes.filter((code) => code.startsWith(name) && kept.test(code))).toHaveLength(1);
      }
      for (const urlName of parameter.urlNames) {
        for (const value of tooLarge(urlName.schema)) {
          const values = new Map([[urlName.name, String(value)]]);
          const codes = codesOf((faults) => table.fromUrl(values, faults));
          // Labels in a URL are checked together with the texts they belong to.
          if (urlName.name === 'H' && name === 'tosubst') continue;
          expect(codes.filter((code) => code.startsWith(urlName.name) && kept.test(code))).toHaveLength(1);
        }
      }
    },
  );
});
