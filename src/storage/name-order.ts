/**
 * The order of a list by name, in each language, which both engines read from an index. They share no collation that is right
 * for any language, so the indexes are over an expression, which computes a key like `sortKey` from the column. Code that writes
 * a name need not know about it.
 */
import { type Language, languages } from '../foundation/language.ts';
import { sortKey } from '../wire/sort-key.ts';
import { byDialect, type Dialect, type Fragment, raw, type Sql, sql } from './sql.ts';

/** Where a page of a list begins: at the beginning, or after the last name of the previous page. */
export interface NamePlace {
  readonly language: Language;
  readonly name?: string | undefined;
  /** For a list whose names may occur several times. */
  readonly id?: number | undefined;
}

/**
 * The letters beyond ASCII that lists by name can place; all others sort after them. Each adds a level of nesting to the
 * expression, and the SQLite of Debian 12, with which operators copy and check stores, allows no more than 26.
 */
const letters = [...'ÅåÄäÖöÆæØøÉéÜüÈèÀàÁáíóñç'];

function replacementsOf(language: Language) {
  return letters
    .map((letter) => [letter, sortKey(letter, language)] as const)
    .filter(([letter, key]) => letter !== key);
}

const replacements = { en: replacementsOf('en'), sv: replacementsOf('sv') };

/** What the expression gives for a name. */
export function indexedKey(name: string, language: Language): string {
  // Both engines change ASCII letters only.
  const lower = name.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
  return replacements[language].reduce((key, [letter, plain]) => key.replaceAll(letter, plain), lower);
}

function expression(column: string, language: Language, dialect: Dialect): string {
  return replacements[language].reduce(
    (inner, [letter, plain]) => `replace(${inner}, '${letter}', '${plain}')`,
    `lower(${bytewise(column, dialect)})`,
  );
}

function bytewise(column: string, dialect: Dialect): string {
  return dialect === 'postgres' ? `${column} COLLATE "C"` : column;
}

interface Listed {
  readonly table: string;
  /** The column of what contains the named things; absent if the list has all of them. */
  readonly scope?: string;
  readonly name: string;
  /** For names that may occur several times. */
  readonly id?: string;
}

/** One index for each language. */
function nameIndexes({ table, scope, name, id }: Listed, dialect: Dialect): readonly string[] {
  const columns = (language: Language) => [
    ...(scope === undefined ? [] : [scope]),
    expression(name, language, dialect),
    id ?? bytewise(name, dialect),
  ];
  const called = (language: Language) => [table, 'by', name, 'of', scope ?? 'all', 'in', language].join('_');
  return languages.map(
    (language) => `CREATE INDEX ${called(language)} ON ${table} (${columns(language).join(', ')})`,
  );
}

/** The order of a list by the name in a column, with an index of `nameIndexes`. */
export class NameOrder {
  readonly #keys: Readonly<Record<Language, Fragment>>;
  readonly #name: Fragment;
  readonly #id: Fragment | undefined;

  constructor(name: string, id?: string) {
    const inBoth = (write: (dialect: Dialect) => string) =>
      byDialect({ sqlite: write('sqlite'), postgres: write('postgres') });
    const key = (language: Language) => inBoth((dialect) => expression(name, language, dialect));
    this.#keys = { en: key('en'), sv: key('sv') };
    this.#name = inBoth((dialect) => bytewise(name, dialect));
    this.#id = id === undefined ? undefined : raw(id);
  }

  /** `AND …`, for what comes after the previous page. */
  behind({ language, name, id = 0 }: NamePlace): Sql {
    if (name === undefined) return sql``;
    const key = this.#keys[language];
    const at = indexedKey(name, language);
    const last = this.#id === undefined ? sql`${this.#name} > ${name}` : sql`${this.#id} > ${id}`;
    // SQLite finds the beginning of a page only by a simple comparison.
    return sql`AND ${key} >= ${at} AND (${key} > ${at} OR ${last})`;
  }

  /** The terms of ORDER BY. */
  by({ language }: NamePlace): Sql {
    return sql`${this.#keys[language]}, ${this.#id ?? this.#name}`;
  }
}

/** The lists by name in version 72 of the schema. */
export function namesInLanguages(dialect: Dialect): readonly string[] {
  const listed: readonly Listed[] = [
    { table: 'contact_groups', scope: 'book_id', name: 'name' },
    { table: 'saved_tag_filters', scope: 'book_id', name: 'name' },
    { table: 'address_books', scope: 'company_id', name: 'name' },
    { table: 'job_types', scope: 'company_id', name: 'name' },
    { table: 'templates', scope: 'company_id', name: 'name', id: 'id' },
    { table: 'saved_jobs', scope: 'company_id', name: 'name', id: 'id' },
    { table: 'saved_jobs', scope: 'system_user_id', name: 'name', id: 'id' },
    { table: 'users', scope: 'company_id', name: 'username' },
    { table: 'system_users', scope: 'company_id', name: 'username' },
    { table: 'companies', name: 'name' },
  ];
  return listed.flatMap((one) => nameIndexes(one, dialect));
}
