/** Queries the transition rule from the store, in the form its statements use. */
import { mayBecomeSql } from '../../src/messages/message.ts';
import { raw, rowSet, sql } from '../../src/storage/sql.ts';
import { readVerb } from '../../src/storage/verb.ts';

export interface StatusChange {
  readonly from: number;
  readonly expiredByTimer: boolean;
  readonly to: number;
}

const columns = {
  place: 'integer',
  status: 'smallint',
  expired_by_timer: 'smallint',
  wanted: 'smallint',
} as const;

/** The allowed changes among these. */
export const allowedChanges = readVerb(
  'test.allowedChanges',
  async (reading, changes: readonly StatusChange[]) => {
    const rows = changes.map(({ from, expiredByTimer, to }, place) => [
      place,
      from,
      expiredByTimer ? 1 : 0,
      to,
    ]);
    const allowed = await reading.all<{ place: number }>(
      sql`SELECT place FROM ${rowSet('messages', columns, rows)} WHERE ${raw(mayBecomeSql('messages', 'wanted'))}`,
    );
    return allowed.map(({ place }) => changes[place] as StatusChange);
  },
);
