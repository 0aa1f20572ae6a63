/**
 * The texts of statements, and the names under which connections prepare them. The busiest statements are for sets and are
 * constants, so their texts are written and looked up only once.
 */
import type { QueryConfig } from 'pg';
import { arraysOf, type Change, type Compiled, compileTogether, Sql } from '../sql.ts';
import type { Columns, Row } from '../storable.ts';

interface Written {
  readonly name: string;
  readonly text: string;
}

/** Statements are prepared once per connection, under a name that represents their text. */
const names = new Map<string, string>();

function written(text: string): Written {
  let name = names.get(text);
  if (name === undefined) {
    name = `carillon_${names.size + 1}`;
    names.set(text, name);
  }
  return { name, text };
}

export function named({ text, parameters }: Compiled): QueryConfig {
  return { ...written(text), values: [...parameters] };
}

const ofSets = new WeakMap<Sql, Written>();

export function forSet(columns: Columns, rows: readonly Row[], statement: Sql): QueryConfig {
  let known = ofSets.get(statement);
  if (known === undefined) {
    known = written(statement.compileEach('postgres', columns, rows).text);
    ofSets.set(statement, known);
  }
  return { ...known, values: arraysOf(columns, rows) };
}

/** The statement that makes a list of changes, and the lists that continue this one, by their next change. */
interface Together {
  statement?: Written;
  /** The last change, if it is an insertion: it is known by its columns. */
  readonly into: string | undefined;
  readonly onConflict: string | undefined;
  readonly next: WeakMap<Sql | Columns, Together>;
}

const nothing: Together = { into: undefined, onConflict: undefined, next: new WeakMap() };

export function forChanges(changes: readonly Change[]): QueryConfig {
  let list = nothing;
  for (const { columns, change } of changes) {
    const key = change instanceof Sql ? change : columns;
    const { into, onConflict } = change instanceof Sql ? nothing : change;
    const known = list.next.get(key) ?? { into, onConflict, next: new WeakMap() };
    list.next.set(key, known);
    if (known.into !== into || known.onConflict !== onConflict) return named(compileTogether(changes));
    list = known;
  }
  list.statement ??= written(compileTogether(changes).text);
  return { ...list.statement, values: changes.flatMap(({ columns, rows }) => arraysOf(columns, rows)) };
}
