/** Describes an edit to people in one line, without secrets. */
import { isDeepStrictEqual } from 'node:util';
import type { Edit } from '../../foundation/edit.ts';
import type { Audience } from './kind.ts';

interface LineOptions {
  /** Fields that the object's name already shows. */
  readonly keys?: readonly string[] | undefined;
  /** Fields whose values are not shown, in addition to secrets. */
  readonly hidden?: readonly string[];
  /** The meaning of a field without a value; `none` by default. */
  readonly absent?: Readonly<Record<string, string>> | undefined;
  /** Values that need no mention in a new object, such as `[]` for a list that may well be empty. */
  readonly ordinary?: object;
}

const secretFields = /password|secret/i;

interface LinesOptions<Kept> extends Omit<LineOptions, 'hidden' | 'ordinary'> {
  /** Turns the object into the words used to describe it. */
  as?(kept: Kept): object;
  /** Fields whose values do not belong in a log. */
  readonly hiddenInLog?: readonly string[];
  readonly ordinary?: object | ((kept: Kept) => object);
}

/** Makes the function with which a kind describes its edits, one line each. */
export function lines<Kept extends object>(
  nameOf: (kept: Kept) => string,
  { as = (kept) => kept, hiddenInLog = [], ordinary = {}, keys, absent }: LinesOptions<Kept> = {},
) {
  return (edits: readonly Edit<Kept>[], audience: Audience): readonly string[] =>
    edits.map((edit) => {
      const kept = (edit.after ?? edit.before) as Kept;
      return line(mapEdit(edit, as), nameOf(kept), {
        keys,
        absent,
        hidden: audience === 'log' ? hiddenInLog : [],
        ordinary: typeof ordinary === 'function' ? ordinary(kept) : ordinary,
      });
    });
}

/** `name` is the name of the object. */
export function line({ before, after }: Edit<object>, name: string, options: LineOptions = {}): string {
  if (after === undefined) return `- ${name}`;
  const keys = options.keys ?? ['name', 'company'];
  const details = Object.keys(after)
    .filter((field) => !keys.includes(field))
    .flatMap((field) => detail(field, { before, after }, options));
  const sign = before === undefined ? '+' : '~';
  return details.length === 0 ? `${sign} ${name}` : `${sign} ${name}: ${details.join(', ')}`;
}

function detail(field: string, { before, after }: Edit<object>, options: LineOptions): readonly string[] {
  const { hidden = [], absent = {} } = options;
  const ordinary = (options.ordinary ?? {}) as Readonly<Record<string, unknown>>;
  const isHidden = secretFields.test(field) || hidden.includes(field);
  const show = (value: unknown) => (value === undefined ? (absent[field] ?? 'none') : shown(value));
  const label = field === 'passwordHash' ? 'password' : field;
  const to = (after as Record<string, unknown>)[field];
  if (before === undefined) {
    const goesUnsaid = to === undefined || isDeepStrictEqual(to, ordinary[field]) || isHidden;
    return goesUnsaid ? [] : [`${label} ${show(to)}`];
  }
  const from = (before as Record<string, unknown>)[field];
  if (isDeepStrictEqual(from, to)) return [];
  if (isHidden) return [`${label} changed`];
  return [`${label} ${show(from)} -> ${show(to)}`];
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(' ');
  if (typeof value === 'object') {
    return JSON.stringify(value, (key, inner) => (secretFields.test(key) ? '(secret)' : inner));
  }
  return value === '' ? '""' : String(value);
}

/** Converts both sides of an edit to the words used to describe the object. */
function mapEdit<Kept, Described extends object>(
  { before, after }: Edit<Kept>,
  describe: (kept: Kept) => Described,
): Edit<Described> {
  return { before: before && describe(before), after: after && describe(after) };
}
