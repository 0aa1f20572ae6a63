/** Paging for all calls that return a page of a list: where it begins, how long it is, and what comes next. */
import Type from 'typebox';
import { type Language, languages } from '../../foundation/language.ts';
import { fault, type Result, success } from '../../foundation/result.ts';
import { integer, text } from './kinds.ts';
import { ruled } from './parameter.ts';

/** The position of an item in its list: by id, or by time and id. */
export interface Cursor {
  readonly time: number | undefined;
  readonly id: number;
}

const wrongCursor = fault('invalid_value', { sentence: 'unknown_cursor' });

function parseCursor(given: string): Result<Cursor> {
  const [, , time, id] = /^((\d{1,16})\.)?(\d{1,16})$/.exec(given) ?? [];
  const cursor = { time: time === undefined ? undefined : Number(time), id: Number(id) };
  const isWhole = Number.isSafeInteger(cursor.id) && Number.isSafeInteger(cursor.time ?? 0);
  return isWhole ? success(cursor) : wrongCursor;
}

export const pageParameters = {
  after: ruled(
    text({
      get: 'after',
      maxLength: 40,
      description: 'The `next` of the previous page. Omit it for the first page.',
    }),
    parseCursor,
  ),
  limit: integer({
    get: 'limit',
    default: 50,
    min: 1,
    cap: 200,
    description: 'Maximum number of items per page; more than 200 counts as 200.',
  }),
} as const;

/** The position of an item in a list sorted by texts: those texts and an id. */
export type TextCursor = readonly (string | number)[];

/** Far longer than any text by which lists are sorted. */
const maxTextCursor = 2_000;

function parseTextCursor(given: string): Result<TextCursor> {
  try {
    const keys: unknown = JSON.parse(Buffer.from(given, 'base64url').toString());
    const isKey = (key: unknown) =>
      (typeof key === 'string' && !/[\0\p{Cs}]/u.test(key)) || Number.isSafeInteger(key);
    return Array.isArray(keys) && keys.every(isKey) ? success(keys) : wrongCursor;
  } catch {
    return wrongCursor;
  }
}

export function writeTextCursor(keys: TextCursor): string {
  return Buffer.from(JSON.stringify(keys)).toString('base64url');
}

export const textPageParameters = {
  after: ruled(
    text({ get: 'after', maxLength: maxTextCursor, description: pageParameters.after.description }),
    parseTextCursor,
  ),
  limit: pageParameters.limit,
} as const;

/** Where a page of a list by name begins. All pages of a list are in the order of the same language. */
export interface NameCursor {
  readonly language: Language;
  /** The last name of the previous page. */
  readonly name: string;
  /** Tells apart items with the same name; 0 if names are unique. */
  readonly id: number;
}

function parseNameCursor(given: string): Result<NameCursor> {
  const keys = parseTextCursor(given);
  if (!keys.ok) return keys;
  const [language, name, id = 0] = keys.value;
  const known = languages.find((one) => one === language);
  return known !== undefined && typeof name === 'string' && typeof id === 'number'
    ? success({ language: known, name, id })
    : wrongCursor;
}

/** Writes the cursor of an item, for a page that begins there. */
export function nameCursor({ language }: Pick<NameCursor, 'language'>) {
  return ({ name, id }: { readonly name: string; readonly id?: number }) =>
    writeTextCursor(id === undefined ? [language, name] : [language, name, id]);
}

export const namePageParameters = {
  after: ruled(
    text({ get: 'after', maxLength: maxTextCursor, description: pageParameters.after.description }),
    parseNameCursor,
  ),
  limit: pageParameters.limit,
} as const;

/** A sentence for the description of a list by name. */
export const inOrderOfLanguage =
  'Names are in the order of the language that `Accept-Language` prefers, English or Swedish, from the first page to the last.';

/** The cursor field of a response. */
export function nextOf(items: string) {
  return Type.Optional(
    Type.String({
      description: `Give it as \`after\` to get the next page. Absent if there are no more ${items}.`,
    }),
  );
}

/** Expects one row more than the page has; that row is not returned, but shows that there are more. */
export function pageOf<Row>(rows: readonly Row[], limit: number, cursorOf: (row: Row) => string) {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? cursorOf(last) : undefined };
}
