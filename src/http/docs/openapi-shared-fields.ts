/** Fields that several schemas of the OpenAPI document have in common are written once, in a schema that each of them includes. */
import { groupedBy } from '../../foundation/grouped.ts';

type Json = Readonly<Record<string, unknown>>;

interface Schema extends Json {
  readonly properties?: Json;
  readonly required?: readonly string[];
  readonly allOf?: readonly unknown[];
}

interface Field {
  readonly schema: string;
  readonly field: string;
  readonly value: unknown;
  readonly required: boolean;
}

/** Saving fewer characters than this is not worth another name in the clients made from the document. */
const worthwhile = 300;

/** A schema includes the fields of at most one other, named after the shortest name among those that include it. */
export function withSharedFields(
  schemas: Readonly<Record<string, Schema>>,
): Readonly<Record<string, Schema>> {
  const result = { ...schemas };
  for (const fields of commonFields(schemas)) {
    const names = namesIn(fields);
    if (names.some((name) => result[name] !== schemas[name])) continue;
    const [shortest = ''] = names.toSorted((one, other) => one.length - other.length);
    const common = fields.filter(({ schema }) => schema === shortest);
    const required = common.filter((one) => one.required).map(({ field }) => field);
    result[`${shortest}Fields`] = {
      type: 'object',
      ...(required.length === 0 ? {} : { required }),
      properties: Object.fromEntries(common.map(({ field, value }) => [field, value])),
    };
    for (const name of names) result[name] = including(`${shortest}Fields`, common, schemas[name] as Schema);
  }
  return result;
}

/** The fields that the same several schemas have, those that save most first. */
function commonFields(schemas: Readonly<Record<string, Schema>>): readonly (readonly Field[])[] {
  const all = Object.entries(schemas).flatMap(([schema, { properties = {}, required = [] }]) =>
    Object.entries(properties).map(
      ([field, value]): Field => ({ schema, field, value, required: required.includes(field) }),
    ),
  );
  const alike = groupedBy(all, ({ field, value, required }) => JSON.stringify([field, value, required]));
  const together = groupedBy([...alike.values()], (same) => namesIn(same).join());
  return [...together.values()]
    .map((groups) => ({ fields: groups.flat(), saved: groups.reduce((sum, same) => sum + savedBy(same), 0) }))
    .filter(({ saved }) => saved > worthwhile)
    .sort((one, other) => other.saved - one.saved)
    .map(({ fields }) => fields);
}

function namesIn(fields: readonly Field[]): readonly string[] {
  return [...new Set(fields.map(({ schema }) => schema))];
}

function savedBy(same: readonly Field[]): number {
  return (same.length - 1) * JSON.stringify(same[0]?.value).length;
}

function including(name: string, common: readonly Field[], schema: Schema): Schema {
  const { properties = {}, required = [], allOf = [], ...rest } = schema;
  const shared = new Set(common.map(({ field }) => field));
  const own = Object.entries(properties).filter(([field]) => !shared.has(field));
  const ownRequired = required.filter((field) => !shared.has(field));
  return {
    ...rest,
    allOf: [{ $ref: `#/components/schemas/${name}` }, ...allOf],
    ...(ownRequired.length === 0 ? {} : { required: ownRequired }),
    ...(own.length === 0 ? {} : { properties: Object.fromEntries(own) }),
  };
}
