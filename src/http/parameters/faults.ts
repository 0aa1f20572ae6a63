/** Collects everything wrong with one request's parameters, so that its sender can fix it all at once. */
import { type ErrorCode, type ErrorContent, type FieldError, ServiceError } from '../../foundation/errors.ts';
import { type Fault, fault } from '../../foundation/result.ts';
import type { Sentence } from '../../foundation/sentences.ts';

/** The most faults listed in a response (API: error body). */
export const maxListedErrors = 100;

export class Faults {
  count = 0;
  /** For the management API: no unknown name is ignored. */
  readonly refusesUnknown: boolean;
  #listed: FieldError[] | undefined;
  #list = '';
  #index: number | undefined;
  /** What the object is in, outermost first. */
  #outer: (readonly [list: string, index: number | undefined])[] | undefined;
  #written: Map<string, string> | undefined;

  constructor(refusesUnknown = false) {
    this.refusesUnknown = refusesUnknown;
  }

  /** `said` continues after the name of the field: `must be a string, but is a list.` */
  add(field: string, code: ErrorCode, said: string | Sentence, values?: Sentence): void {
    this.#keep(field, ' ', fault(code, said, values));
  }

  /** Adds a fault that a rule of the pure grammar found in the field's value. */
  addFault(field: string, found: Fault): void {
    this.#keep(field, ': ', found);
  }

  /** Adds that the field has a value of another type than the one wanted, which is given in words. */
  addWrongType(field: string, wanted: string, json: unknown): void {
    this.add(field, 'invalid_type', { sentence: 'wrong_type', wanted, given: jsonTypeOf(json) });
  }

  /** The following faults belong to one object in a list, or to the object in a field if there is no index. */
  enter(list: string, index?: number): void {
    if (this.#list !== '') {
      this.#outer ??= [];
      this.#outer.push([this.#list, this.#index]);
    }
    this.#list = list;
    this.#index = index;
  }

  leave(): void {
    [this.#list, this.#index] = this.#outer?.pop() ?? ['', undefined];
  }

  /** A URL has its own name for a parameter; faults are reported under that name. */
  writeAs(urlName: string, written: string): void {
    this.#written ??= new Map();
    this.#written.set(urlName, written);
  }

  /** The name used for the parameter in the URL. */
  written(urlName: string): string {
    return this.#written?.get(urlName) ?? urlName;
  }

  #keep(field: string, joint: string, { code, error, values }: ErrorContent): void {
    this.count += 1;
    if (this.count > maxListedErrors) return;
    const path =
      this.#list === ''
        ? this.written(field)
        : [...(this.#outer ?? []), [this.#list, this.#index] as const].map(stepOf).join('') + field;
    this.#listed ??= [];
    this.#listed.push({ field: path, code, error: `\`${path}\`${joint}${error}`, values });
  }

  throwIfAny(): void {
    const error = this.asError();
    if (error !== undefined) throw error;
  }

  /** Undefined if there are no faults. */
  asError(): ServiceError | undefined {
    const [first] = this.#listed ?? [];
    if (first === undefined) return undefined;
    const others = this.count - 1;
    const more =
      others === 0 ? '' : ` (${others} more ${others === 1 ? 'fault' : 'faults'}: see \`errors\`.)`;
    const { code, error, values } = first;
    return new ServiceError(code, error + more, { values, errors: this.#listed ?? [] });
  }
}

function stepOf([list, index]: readonly [list: string, index: number | undefined]): string {
  return index === undefined ? `${list}.` : `${list}[${index}].`;
}

/** The JSON type of a value in words. */
export function jsonTypeOf(json: unknown): string {
  if (json === null) return 'null';
  if (Array.isArray(json)) return 'a list';
  switch (typeof json) {
    case 'string':
      return 'a string';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'true or false';
    default:
      return 'an object';
  }
}
