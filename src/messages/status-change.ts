/**
 * The one place that writes a status: whatever changes it, the change has its time, the message another version, by which a
 * reader that marks it as read sees that it is not what was read, and it is unread. What else follows from it, counts of
 * batches and the journal of changes, is done by triggers.
 */
import { type Fragment, raw, type Sql, sql } from '../storage/sql.ts';

/** For the SET of an UPDATE of `messages`. */
export function statusBecomes(status: number | Fragment, at: number | Fragment): Sql {
  return sql`status = ${status}, changed_at = ${at}, version = messages.version + 1, unread = 1`;
}

/** The same for those of the rows that the condition is true of. */
export function statusBecomesWhere(
  condition: Fragment,
  status: number | Fragment,
  at: number | Fragment,
): Sql {
  const otherwise = (column: string, value: number | Fragment) =>
    sql`${raw(column)} = CASE WHEN ${condition} THEN ${value} ELSE messages.${raw(column)} END`;
  return sql`${otherwise('status', status)}, ${otherwise('changed_at', at)}, ${otherwise('version', raw('messages.version + 1'))},
    ${otherwise('unread', raw('1'))}`;
}

/** A message that has ended waits for nothing more. */
export function endsAs(status: number | Fragment, at: number | Fragment, reason: string): Sql {
  return sql`${statusBecomes(status, at)}, stage = NULL, due_at = NULL, reason = ${reason}`;
}

/** Another send time is no change of the status, but of what was shown. Its validity begins with the time. */
export function isSentAt(time: number): Sql {
  return sql`due_at = ${time}, expires_at = expires_at + (${time} - due_at), version = messages.version + 1`;
}
