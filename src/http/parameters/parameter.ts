/**
 * What a parameter of an endpoint is: one declaration that the decoders of GET and POST, the error sentences and the
 * OpenAPI document are made from. The kinds of parameters stand in `kinds.ts` and `lists.ts`.
 */
import Type, { type TSchema } from 'typebox';
import type { Result } from '../../foundation/result.ts';
import type { Faults } from './faults.ts';

/** Values of a URL by name, still percent-encoded. A list that stands several times is joined by commas. */
export type UrlValues = ReadonlyMap<string, string>;

/** What a URL may hold: each name, be it a parameter's own there or its JSON name, with what it means. */
export type UrlNames = ReadonlyMap<string, Pick<UrlName, 'name' | 'list'>>;

export interface UrlName {
  readonly name: string;
  /** A list may stand several times in a URL, a scalar once (API: conventions). */
  readonly list: boolean;
  readonly schema: TSchema;
  /** Marks the one of several names that its JSON name stands for in a URL. */
  readonly isMain?: true;
  /** What this name says beyond the parameter's description, when a parameter has several names. */
  readonly note?: string;
}

export interface Parameter<Value> {
  readonly description: string;
  /** What the OpenAPI document calls its schema in JSON; for those that many calls share. */
  readonly schemaName?: string;
  readonly required: boolean;
  /** What the handler gets when the parameter is not given. */
  readonly absent: Value;
  /** Describes the value in a JSON body. */
  readonly schema: TSchema;
  /** None for a parameter that only a JSON body can hold. */
  readonly urlNames: readonly UrlName[];
  /** Of a given value, thus neither null nor the empty string. `undefined` with a fault added, or as not given. */
  readonly fromJson: (json: unknown, field: string, faults: Faults) => Value | undefined;
  /** `undefined` with a fault added, or as not given. */
  readonly fromUrl: (values: UrlValues, faults: Faults) => Value | undefined;
  /** Belongs to the API contract, but is not built yet: giving it is a fault. */
  readonly isUnavailable?: true;
  /** Whether a value that else means "not given" clears a setting; then the handler gets null. */
  readonly clearedBy?: (json: unknown) => boolean;
  /** Lists before it in the table, any of which makes its value meaningless: then nobody looks at it. */
  readonly ignoredWith?: readonly string[];
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** What a handler gets, inferred from its endpoint's table. Every key is there. */
export type Input<P extends Parameters> = {
  readonly [Key in keyof P]: P[Key] extends Parameter<infer Value> ? Value : never;
};

/** What every kind of parameter can be told. */
export interface ParameterOptions<Value> {
  readonly description: string;
  readonly schemaName?: string;
  /** Its name in a URL; none when only a JSON body can hold it. */
  readonly get?: string;
  readonly required?: boolean;
  readonly default?: Value;
}

/** The type of a parameter that may be missing, unless it is required or has a default. */
export type Given<Options, Value> = Options extends { readonly required: true } | { readonly default: Value }
  ? Value
  : Value | undefined;

interface Decoders<Value> {
  readonly schema: TSchema;
  readonly urlNames: readonly UrlName[];
  readonly fromJson: Parameter<Value>['fromJson'];
  readonly fromUrl: (values: UrlValues, faults: Faults) => Value | undefined;
  readonly isUnavailable?: true;
}

/** Puts what a parameter was told and how its kind decodes together: the way to make a kind. */
export function declare<const Options extends Omit<ParameterOptions<Value>, 'get'>, Value>(
  options: Options,
  decoders: Decoders<Value>,
): Parameter<Given<Options, Value>> {
  return {
    ...decoders,
    description: options.description,
    ...(options.schemaName === undefined ? {} : { schemaName: options.schemaName }),
    required: options.required ?? false,
    absent: options.default,
  } as Parameter<Given<Options, Value>>;
}

/** `null` and the empty string mean "not given" (API: conventions). */
export function isNotGiven(json: unknown): boolean {
  return json === undefined || json === null || json === '';
}

/**
 * For settings with a company default: the empty string (in JSON also `null` for booleans, which have no empty string)
 * clears the setting, while leaving the parameter out keeps it.
 */
export function clearable<Value>(parameter: Parameter<Value>): Parameter<Value | null> {
  const isBoolean = 'type' in parameter.schema && parameter.schema.type === 'boolean';
  const clearing = isBoolean ? '`null` clears it, in a URL the empty text.' : 'The empty text clears it.';
  return {
    ...parameter,
    description: `${parameter.description} ${clearing}`,
    clearedBy: (json) => json === '' || (isBoolean && json === null),
    fromUrl: (values, faults) =>
      parameter.urlNames.some(({ name }) => values.get(name) === '')
        ? null
        : parameter.fromUrl(values, faults),
  };
}

/**
 * For a parameter whose value must keep a rule of the pure grammar; the handler gets what the rule makes of it. A default
 * would not have kept the rule, and of several names in a URL a fault would not know which was given: it has neither.
 */
export function ruled<Value, Kept>(
  parameter: Parameter<Value>,
  rule: (given: NonNullable<Value>) => Result<Kept>,
): Parameter<Kept | Extract<Value, undefined>> {
  const [urlName, another] = parameter.urlNames;
  if (parameter.absent !== undefined || another !== undefined)
    throw new Error('a parameter with a rule has no default, and one name in a URL at most');
  const judge = (value: Value | undefined, field: string, faults: Faults): Kept | undefined => {
    if (value === undefined || value === null) return undefined;
    const kept = rule(value);
    if (kept.ok) return kept.value;
    faults.addFault(field, kept);
    return undefined;
  };
  return {
    ...parameter,
    absent: undefined as Extract<Value, undefined>,
    fromJson: (json, field, faults) => judge(parameter.fromJson(json, field, faults), field, faults),
    fromUrl: (values, faults) => judge(parameter.fromUrl(values, faults), urlName?.name ?? '', faults),
  };
}

/** For a parameter that has no meaning once a list that stands before it in the table is given (API: /status, `maxnum`). */
export function ignoredWith<Value>(lists: readonly string[], parameter: Parameter<Value>): Parameter<Value> {
  return { ...parameter, ignoredWith: lists };
}

/** The JSON Schema of an object whose fields a table of parameters describes; `title` is what the OpenAPI document calls it. */
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
