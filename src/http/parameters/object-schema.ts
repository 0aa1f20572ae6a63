/** Writes the JSON Schema of objects whose fields a table of parameters describes. */
import Type, { type TSchema } from 'typebox';
import type { Parameter, Parameters } from './parameter.ts';

/** The JSON Schema of an object with these fields; `title` is what the OpenAPI document calls it. */
export function objectSchema(fields: Parameters, title?: string): TSchema {
  const required = Object.keys(fields).filter((key) => fields[key]?.required);
  return Type.Unsafe({
    ...(title === undefined ? {} : { title }),
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(fields).map(([key, field]) => [key, describedSchema(field)]),
    ),
    ...(required.length === 0 ? {} : { required }),
  });
}

/** The JSON Schema of a parameter's value in JSON, with what is to be said about it. */
function describedSchema(parameter: Parameter<unknown>): TSchema {
  const { schemaName } = parameter;
  return {
    ...(schemaName === undefined ? {} : { title: schemaName }),
    ...withClearing(parameter.schema, clearsByNull(parameter) ? nothing : emptyText, parameter),
    description: parameter.description,
    ...(parameter.absent === undefined ? {} : { default: parameter.absent }),
  };
}

const nothing = { type: 'null' };
export const emptyText = { type: 'string', const: '' };

export function clearsByNull({ clearedBy }: Parameter<unknown>): boolean {
  return clearedBy?.(null) === true;
}

/** With what clears it, where something does. */
export function withClearing(schema: TSchema, clearing: object, { clearedBy }: Parameter<unknown>): TSchema {
  if (clearedBy === undefined) return schema;
  const { anyOf = [schema] } = schema as { readonly anyOf?: readonly object[] };
  return Type.Unsafe({ anyOf: [...anyOf, clearing] });
}
