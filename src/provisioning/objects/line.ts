/** Tells an edit to people in a line, without any secret. */
import { isDeepStrictEqual } from 'node:util';
import type { Edit } from '../../foundation/edit.ts';
import type { Audience } from './kind.ts';

interface LineOptions {
  /** Fields that the name of an object already tells. */
  readonly keys?: readonly string[] | undefined;
  /** Fields whose values are not told, beside those that are secrets. */
  readonly hidden?: readonly string[];
  /** What a field means that has no value; else `none`. */
  readonly absent?: Readonly<Record<string, string>> | undefined;
  /** What goes without saying of a new object; an empty list: that the list is empty. */
  readonly ordinary?: object;
}

const secretFields = /password|secret/i;

interface LinesOptions<Kept> extends Omit<LineOptions, 'hidden' | 'ordinary'> {
  /** The object as it is told, in other words than it is kept in. */
  as?(kept: Kept): object;
  /** Fields whose values do not belong in a log. */
  readonly hiddenInLog?: readonly string[];
  readonly ordinary?: object | ((kept: Kept) => object);
}

/** How a kind describes its edits: a line each. */
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

/** `name`: what the object is called. */
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

/** The edit of an object as it is told: both of its sides in other words. */
function mapEdit<Kept, Told extends object>(
  { before, after }: Edit<Kept>,
  tell: (kept: Kept) => Told,
): Edit<Told> {
  return { before: before && tell(before), after: after && tell(after) };
}
