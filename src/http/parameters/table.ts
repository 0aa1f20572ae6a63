/** Turns a JSON body or the values of a URL into a handler's input, using the endpoint's parameter table. */

import { ServiceError } from '../../foundation/errors.ts';
import { nearestName } from '../../foundation/nearest-name.ts';
import type { Sentence } from '../../foundation/sentences.ts';
import type { Faults } from './faults.ts';
import {
  checkAbsence,
  hasValue,
  type Input,
  type Parameter,
  type Parameters,
  type UrlName,
  type UrlNames,
  type UrlValues,
} from './parameter.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Entries have one shape; parameters of different kinds do not. */
interface Entry {
  readonly key: string;
  readonly parameter: Parameter<unknown>;
  readonly required: boolean;
}

export class ParameterTable<P extends Parameters> {
  readonly parameters: P;
  readonly urlNames: UrlNames;
  readonly #entries: readonly Entry[];
  /** The input of a call without parameters; each call fills a copy of it, so that all inputs have the same shape. */
  readonly #absent: Readonly<Record<string, unknown>>;

  constructor(parameters: P) {
    this.parameters = parameters;
    this.#entries = Object.entries(parameters).map(([key, parameter]) => ({
      key,
      parameter,
      required: parameter.required,
    }));
    this.#absent = Object.fromEntries(this.#entries.map(({ key, parameter }) => [key, parameter.absent]));
    const urlNames = new Map<string, UrlName>();
    for (const urlName of this.#entries.flatMap(({ parameter }) => parameter.urlNames)) {
      const { name } = urlName;
      if (urlNames.has(name)) throw new Error(`two parameters of an endpoint are named ${name} in its URL`);
      urlNames.set(name, urlName);
    }
    for (const { key, parameter } of this.#entries) {
      const main = mainName(parameter);
      if (main !== undefined && !urlNames.has(key)) urlNames.set(key, main);
    }
    this.urlNames = urlNames;
  }

  /** Reads the body's own fields by the table's names only, none of which an object inherits. */
  fromJson(body: JsonObject, faults: Faults): Input<P> {
    const input: Record<string, unknown> = { ...this.#absent };
    for (const { key, parameter, required } of this.#entries) {
      const json = body[key];
      if ((json === undefined && !required) || isIgnored(parameter, input)) continue;
      if (!hasValue(parameter, json)) {
        const isCleared = !required && json !== undefined && parameter.clearedBy?.(json) === true;
        if (isCleared) input[key] = null;
        else checkAbsence(parameter, { key, json, required }, faults);
        continue;
      }
      const value = parameter.fromJson(json, key, faults);
      if (value !== undefined) input[key] = value;
    }
    return input as Input<P>;
  }

  fromUrl(values: UrlValues, faults: Faults): Input<P> {
    const input: Record<string, unknown> = { ...this.#absent };
    for (const { key, parameter } of this.#entries) {
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

  /** The name that a URL uses, or could use, for a parameter; undefined if it is not a parameter or has no name in a URL. */
  nameInUrl(key: string, values: UrlValues): string | undefined {
    const names = this.parameters[key]?.urlNames ?? [];
    return (names.find(({ name }) => values.has(name)) ?? names[0])?.name;
  }
}

/** Undefined for a parameter whose URL names each give a part of it. */
function mainName({ urlNames }: Parameter<unknown>): UrlName | undefined {
  return urlNames.length === 1 ? urlNames[0] : urlNames.find(({ isMain }) => isMain);
}

function isIgnored({ ignoredWith }: Parameter<unknown>, before: Readonly<Record<string, unknown>>): boolean {
  if (ignoredWith === undefined) return false;
  return ignoredWith.some((list) => before[list] !== undefined);
}

/** Only this many unknown names per call are checked, because finding a suggestion takes a while for each. */
const maxLookedAt = 100;

/**
 * The names allowed in one part of a call: its URL, its body, or an object in the body. A misspelt name would silently do
 * something other than intended.
 */
export class KnownNames {
  readonly #names: ReadonlySet<string>;
  /** Hints for names that belong elsewhere. */
  readonly #elsewhere: ReadonlyMap<string, Sentence>;
  readonly #meant: readonly string[];

  /** `meant` holds the names to suggest for a misspelt name, if they differ. */
  constructor(
    names: Iterable<string>,
    elsewhere: Iterable<readonly [name: string, said: Sentence]> = [],
    meant?: Iterable<string>,
  ) {
    this.#names = new Set(names);
    this.#elsewhere = new Map([...elsewhere].filter(([name]) => !this.#names.has(name)));
    this.#meant = [...(meant ?? this.#names)];
  }

  /** In the management API every unknown name is a fault; elsewhere only a name that resembles a known name is (CONV-7). */
  check(given: Iterable<string>, faults: Faults): void {
    let looked = 0;
    for (const name of given) {
      if (this.#names.has(name)) continue;
      looked += 1;
      if (looked > maxLookedAt) return;
      const said = this.#faultOf(name, faults.refusesUnknown);
      if (said !== undefined) faults.add(name.slice(0, 100), 'unknown_parameter', said);
    }
  }

  #faultOf(name: string, refusesUnknown: boolean): Sentence | undefined {
    const nearest = this.#elsewhere.has(name) ? name : nearestName(name, this.#meant);
    if (nearest === undefined) return refusesUnknown ? { sentence: 'unknown_name' } : undefined;
    return this.#elsewhere.get(nearest) ?? { sentence: 'unknown_name_near', near: nearest };
  }
}

/** The names of parameters in a URL, with those that only a JSON body can hold. */
export function namesInUrl(table: ParameterTable<Parameters>, others: Iterable<string>): KnownNames {
  const onlyInJson = Object.keys(table.parameters).filter((key) => !table.urlNames.has(key));
  return new KnownNames(
    [...table.urlNames.keys(), ...others],
    onlyInJson.map((key) => [key, { sentence: 'only_in_body' }]),
  );
}

/** The field names of a JSON body; the URL names of the same parameters count as unknown there. */
export function namesInJson(table: ParameterTable<Parameters>, others: Iterable<string>): KnownNames {
  return new KnownNames([...Object.keys(table.parameters), ...others]);
}

/** The parameter names allowed in the URL of a call with a JSON body: none, not even those that a GET uses. */
export function namesBesideJson({ parameters }: ParameterTable<Parameters>): KnownNames {
  const elsewhere = Object.entries(parameters).flatMap(([key, { urlNames }]) =>
    [...urlNames.map(({ name }) => name), key].map(
      (name) => [name, { sentence: 'not_in_url', name: key }] as const,
    ),
  );
  const meant = elsewhere.map(([name]) => name);
  return new KnownNames([], elsewhere, meant);
}

/** Renames the fields of a fault as in the caller's URL, wherever the fault was found. */
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

/** Returns `T[3]` for `to[3]`, if the URL uses that name. */
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
