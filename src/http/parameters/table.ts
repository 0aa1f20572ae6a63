/** Turns a JSON body or the values of a URL into a handler's input, by the endpoint's table of parameters. */
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
