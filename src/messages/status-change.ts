/**
 * The only place that writes a status. With every change the message gets the time of the change and a new version, and
 * becomes unread; a reader that marks it as read can tell from the version whether it has changed since. Everything
 * else that follows, such as batch counts and the journal of changes, is done by triggers.
 */
import { type Fragment, raw, type Sql, sql } from '../storage/sql.ts';

/** Belongs in the SET clause of an UPDATE of `messages`. */
export function statusBecomes(status: number | Fragment, at: number | Fragment): Sql {
  return sql`status = ${status}, changed_at = ${at}, version = messages.version + 1, unread = 1`;
}

/** Like `statusBecomes`, but only for rows that meet the condition. */
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

/** Another send time does not change the status, but it changes what is shown. The validity begins with the send time. */
export function isSentAt(time: number): Sql {
  return sql`due_at = ${time}, expires_at = expires_at + (${time} - due_at), version = messages.version + 1`;
}
