/** Tells of names that no parameter has: a misspelt one would silently do something else than what was meant. */
import { nearestName } from '../../foundation/nearest-name.ts';
import type { Faults } from './faults.ts';
import type { Parameters } from './parameter.ts';
import type { ParameterTable } from './table.ts';

/** A call that has more is told of these: to look for what was meant takes a while for each. */
const mostLookedAt = 100;

/** The names that one place of a call, its URL, its body or an object in that, may have. */
export class KnownNames {
  readonly #names: ReadonlySet<string>;
  /** What there is to be said of names that belong elsewhere. */
  readonly #elsewhere: ReadonlyMap<string, string>;

  constructor(names: Iterable<string>, elsewhere: Iterable<readonly [name: string, predicate: string]> = []) {
    this.#names = new Set(names);
    this.#elsewhere = new Map([...elsewhere].filter(([name]) => !this.#names.has(name)));
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
    const said = this.#elsewhere.get(name);
    if (said !== undefined) return said;
    const nearest = nearestName(name, this.#names);
    if (nearest !== undefined) return `is not known here: did you mean \`${nearest}\`?`;
    return refusesUnknown ? 'is not known here.' : undefined;
  }
}

/** Of the parameters in a URL, with those that only a JSON body can hold. */
export function namesInUrl(table: ParameterTable<Parameters>, others: Iterable<string>): KnownNames {
  const onlyInJson = Object.keys(table.parameters).filter((key) => !table.urlNames.has(key));
  const predicate = 'can be given in the JSON body of a POST only.';
  return new KnownNames(
    [...table.urlNames.keys(), ...others],
    onlyInJson.map((key) => [key, predicate]),
  );
}

/** Of the fields of a JSON body: the names that the same parameters have in a URL are as unknown there as any. */
export function namesInJson(table: ParameterTable<Parameters>, others: Iterable<string>): KnownNames {
  return new KnownNames([...Object.keys(table.parameters), ...others]);
}
