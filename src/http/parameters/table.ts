/** Turns a JSON body or the values of a URL into a handler's input, by the endpoint's table of parameters. */

import { ServiceError } from '../../foundation/errors.ts';
import { nearestName } from '../../foundation/nearest-name.ts';
import type { Faults } from './faults.ts';
import {
  type Input,
  isNotGiven,
  type Parameter,
  type Parameters,
  type UrlName,
  type UrlNames,
  type UrlValues,
} from './parameter.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export class ParameterTable<P extends Parameters> {
  readonly parameters: P;
  readonly urlNames: UrlNames;
  readonly #entries: readonly (readonly [string, Parameter<unknown>])[];
  /** The input of a call without parameters: a copy of it is filled, so that all inputs have one shape. */
  readonly #absent: Readonly<Record<string, unknown>>;

  constructor(parameters: P) {
    this.parameters = parameters;
    this.#entries = Object.entries(parameters);
    this.#absent = Object.fromEntries(this.#entries.map(([key, parameter]) => [key, parameter.absent]));
    const urlNames = new Map<string, UrlName>();
    for (const urlName of this.#entries.flatMap(([, parameter]) => parameter.urlNames)) {
      const { name } = urlName;
      if (urlNames.has(name)) throw new Error(`two parameters of an endpoint are named ${name} in its URL`);
      urlNames.set(name, urlName);
    }
    for (const [key, parameter] of this.#entries) {
      const main = mainName(parameter);
      if (main !== undefined && !urlNames.has(key)) urlNames.set(key, main);
    }
    this.urlNames = urlNames;
  }

  /** Reads own fields of the body only by the table's names, none of which an object inherits. */
  fromJson(body: JsonObject, faults: Faults): Input<P> {
    const input: Record<string, unknown> = { ...this.#absent };
    for (const [key, parameter] of this.#entries) {
      if (isIgnored(parameter, input)) continue;
      const json = body[key];
      if (isNotGiven(json)) {
        if (parameter.required) faults.add(key, 'missing_parameter', 'is missing.');
        else if (json !== undefined && parameter.clearedBy?.(json) === true) input[key] = null;
        continue;
      }
      const value = parameter.fromJson(json, key, faults);
      if (value !== undefined) input[key] = value;
    }
    return input as Input<P>;
  }

  fromUrl(values: UrlValues, faults: Faults): Input<P> {
    const input: Record<string, unknown> = { ...this.#absent };
    for (const [key, parameter] of this.#entries) {
      if (isIgnored(parameter, input)) continue;
      const faultsBefore = faults.count;
      const value = parameter.fromUrl(values, faults);
      if (value !== undefined) input[key] = value;
      else if (parameter.required && faults.count === faultsBefore) {
        faults.add(parameter.urlNames[0]?.name ?? key, 'missing_parameter', 'is missing.');
      }
    }
    return input as Input<P>;
  }

  /** Under which a URL gives a parameter, or could give it; undefined for what is none, or has no name there. */
  nameInUrl(key: string, values: UrlValues): string | undefined {
    const names = this.parameters[key]?.urlNames ?? [];
    return (names.find(({ name }) => values.has(name)) ?? names[0])?.name;
  }
}

/** None for a parameter whose names in a URL each give a part of it. */
function mainName({ urlNames }: Parameter<unknown>): UrlName | undefined {
  return urlNames.length === 1 ? urlNames[0] : urlNames.find(({ isMain }) => isMain);
}

function isIgnored({ ignoredWith }: Parameter<unknown>, before: Readonly<Record<string, unknown>>): boolean {
  if (ignoredWith === undefined) return false;
  return ignoredWith.some((list) => before[list] !== undefined);
}

/** A call that has more is told of these: to look for what was meant takes a while for each. */
const mostLookedAt = 100;

/**
 * The names that one place of a call, its URL, its body or an object in that, may have. A misspelt one would silently do
 * something else than what was meant.
 */
export class KnownNames {
  readonly #names: ReadonlySet<string>;
  /** What there is to be said of names that belong elsewhere. */
  readonly #elsewhere: ReadonlyMap<string, string>;
  readonly #meant: readonly string[];

  /** `meant`: the names that a misspelt one is compared with, where these are others. */
  constructor(
    names: Iterable<string>,
    elsewhere: Iterable<readonly [name: string, predicate: string]> = [],
    meant?: Iterable<string>,
  ) {
    this.#names = new Set(names);
    this.#elsewhere = new Map([...elsewhere].filter(([name]) => !this.#names.has(name)));
    this.#meant = [...(meant ?? this.#names)];
  }

  /** Under the management API every unknown name is a fault, elsewhere one that is near to a known name (CONV-7). */
  check(given: Iterable<string>, faults: Faults): void {
    let looked = 0;
    for (const name of given) {
      if (this.#names.has(name)) continue;
      looked += 1;
      if (looked > mostLookedAt) return;
      const predicate = this.#predicateOf(name, faults.refusesUnknown);
      if (predicate !== undefined) faults.add(name.slice(0, 100), 'unknown_parameter', predicate);
    }
  }

  #predicateOf(name: string, refusesUnknown: boolean): string | undefined {
    const nearest = this.#elsewhere.has(name) ? name : nearestName(name, this.#meant);
    if (nearest === undefined) return refusesUnknown ? 'is not known here.' : undefined;
    return this.#elsewhere.get(nearest) ?? `is not known here: did you mean \`${nearest}\`?`;
  }
}

/** The names of the parameters in a URL, with those that only a JSON body can hold. */
export function namesInUrl(table: ParameterTable<Parameters>, others: Iterable<string>): KnownNames {
  const onlyInJson = Object.keys(table.parameters).filter((key) => !table.urlNames.has(key));
  const predicate = 'can be given in a JSON body only.';
  return new KnownNames(
    [...table.urlNames.keys(), ...others],
    onlyInJson.map((key) => [key, predicate]),
  );
}

/** The names of the fields of a JSON body: those that the same parameters have in a URL are as unknown there as any. */
export function namesInJson(table: ParameterTable<Parameters>, others: Iterable<string>): KnownNames {
  return new KnownNames([...Object.keys(table.parameters), ...others]);
}

/** Those in the URL of a call that has its parameters in a JSON body: none, be it the name of a parameter there or in a GET. */
export function namesBesideJson({ parameters }: ParameterTable<Parameters>): KnownNames {
  const predicateOf = (key: string) =>
    `stands in the URL, but this call has its parameters in its JSON body: give \`${key}\` there.`;
  const elsewhere = Object.entries(parameters).flatMap(([key, { urlNames }]) =>
    [...urlNames.map(({ name }) => name), key].map((name) => [name, predicateOf(key)] as const),
  );
  const meant = elsewhere.map(([name]) => name);
  return new KnownNames([], elsewhere, meant);
}

/** Names the fields of a fault as the caller's URL does, wherever in the house the fault was found. */
export function withFieldsInUrl<P extends Parameters>(
  error: ServiceError,
  table: ParameterTable<P>,
  values: UrlValues,
  faults: Faults,
): ServiceError {
  const { code, message, values: said, headers, body, cause } = error;
  const errors = error.errors.map((one) => ({ ...one, field: fieldInUrl(one.field, table, values, faults) }));
  return new ServiceError(code, message, { values: said, errors, headers, body, cause });
}

/** `T[3]` of `to[3]`, where the URL gives it so. */
export function fieldInUrl<P extends Parameters>(
  field: string,
  table: ParameterTable<P>,
  values: UrlValues,
  faults: Faults,
): string {
  const [key = ''] = field.split(/[.[]/, 1);
  const name = table.nameInUrl(key, values);
  return name === undefined ? field : faults.written(name) + field.slice(key.length);
}
