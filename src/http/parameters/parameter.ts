/**
 * Defines an endpoint parameter: one declaration from which the GET and POST decoders, the error sentences and the OpenAPI
 * document are made. The kinds of parameters are in `kinds.ts` and `lists.ts`.
 */
import Type, { type TSchema } from 'typebox';
import type { Result } from '../../foundation/result.ts';
import type { Faults } from './faults.ts';

/** URL values by name, still percent-encoded. A list given several times is joined by commas. */
export type UrlValues = ReadonlyMap<string, string>;

/** The names that a URL may contain, both a parameter's URL names and its JSON name, with their meaning. */
export type UrlNames = ReadonlyMap<string, Pick<UrlName, 'name' | 'list'>>;

export interface UrlName {
  readonly name: string;
  /** A list may occur several times in a URL, a scalar once (API: conventions). */
  readonly list: boolean;
  readonly schema: TSchema;
  /** Marks the name, among several, that the JSON name stands for in a URL. */
  readonly isMain?: true;
  /** What this name means beyond the parameter's description, if a parameter has several names. */
  readonly note?: string;
}

export interface Parameter<Value> {
  readonly description: string;
  /** The name of its JSON schema in the OpenAPI document; for schemas that many calls share. */
  readonly schemaName?: string;
  readonly required: boolean;
  /** The handler's value if the parameter is not given. */
  readonly absent: Value;
  /** Describes the value in a JSON body. */
  readonly schema: TSchema;
  /** Empty for a parameter that only a JSON body can hold. */
  readonly urlNames: readonly UrlName[];
  /**
   * Decodes a given value, which is neither null nor the empty string. Returns `undefined` if it adds a fault or the value
   * counts as not given.
   */
  readonly fromJson: (json: unknown, field: string, faults: Faults) => Value | undefined;
  /** Returns `undefined` if it adds a fault or the value counts as not given. */
  readonly fromUrl: (values: UrlValues, faults: Faults) => Value | undefined;
  /** Part of the API contract but not built yet: giving it is an error. */
  readonly isUnavailable?: true;
  /** Whether a value that otherwise means "not given" clears a setting; the handler then gets null. */
  readonly clearedBy?: (json: unknown) => boolean;
  /** Refuses what is given but empty and clears nothing, also an empty list: it might give more than its sender meant. */
  readonly refusesEmpty?: true;
  /** Lists earlier in the table, any of which makes this value meaningless, so that it is ignored. */
  readonly ignoredWith?: readonly string[];
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** The input of a handler, inferred from its endpoint's table. Every key is present. */
export type Input<P extends Parameters> = {
  readonly [Key in keyof P]: P[Key] extends Parameter<infer Value> ? Value : never;
};

/** Options common to all kinds of parameters. */
export interface ParameterOptions<Value> {
  readonly description: string;
  readonly schemaName?: string;
  /** The parameter's name in a URL; absent if only a JSON body can hold the parameter. */
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

/** Builds a parameter from its options and its kind's decoders; every kind is made with this. */
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

function isEmptyList(json: unknown): boolean {
  return Array.isArray(json) && json.length === 0;
}

/** Whether a field of a JSON body has a value that its parameter reads. */
export function hasValue({ refusesEmpty }: Parameter<unknown>, json: unknown): boolean {
  return !isNotGiven(json) && !(refusesEmpty && isEmptyList(json));
}

/** Adds a fault if a field without a value must have one, or is a list that must not be empty. */
export function checkAbsence(
  { refusesEmpty }: Parameter<unknown>,
  { key, json, required }: { readonly key: string; readonly json: unknown; readonly required: boolean },
  faults: Faults,
): void {
  if (required) faults.add(key, 'missing_parameter', 'is missing.');
  else if (json !== undefined && refusesEmpty) faults.add(key, 'invalid_value', { sentence: 'empty_limit' });
}

/**
 * For settings with a company default: the empty string (in JSON also `null` for booleans, which have no empty string) clears
 * the setting, while omitting the parameter leaves it unchanged.
 */
export function clearable<Value>(parameter: Parameter<Value>): Parameter<Value | null> {
  const isBoolean = 'type' in parameter.schema && parameter.schema.type === 'boolean';
  const clearing = isBoolean
    ? '`null` clears it; in a URL, the empty text does.'
    : 'The empty text clears it.';
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
 * For a parameter whose value must satisfy a rule of the pure grammar; the handler gets the rule's result. It has no default,
 * which would bypass the rule, and only one URL name, since a fault would not know which of several was used.
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

/** For a parameter that is meaningless once a list earlier in the table is given (API: /status, `maxnum`). */
export function ignoredWith<Value>(lists: readonly string[], parameter: Parameter<Value>): Parameter<Value> {
  return { ...parameter, ignoredWith: lists };
}

/**
 * The JSON Schema of an object whose fields are described by a parameter table; `title` is its name in the OpenAPI document.
 */
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

/** The JSON Schema of a parameter's JSON value, with its description. */
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

/** Adds the value that clears the setting, if there is one. */
export function withClearing(schema: TSchema, clearing: object, { clearedBy }: Parameter<unknown>): TSchema {
  if (clearedBy === undefined) return schema;
  const { anyOf = [schema] } = schema as { readonly anyOf?: readonly object[] };
  return Type.Unsafe({ anyOf: [...anyOf, clearing] });
}
