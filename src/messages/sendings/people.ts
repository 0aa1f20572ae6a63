/** Reads the people of a sending, in the order of the call: what became of each SMS, and what each person answered. */
import { literal, oneOf, type Sql, sql } from '../../storage/sql.ts';
import { inTurns, type Reading, readVerb } from '../../storage/verb.ts';
import { meaning as code } from '../sending-rows.ts';
import { latestClear, type Meaning, meaningOf, type SendingState, statusesOf } from './sending.ts';

export interface PeopleQuery {
  readonly companyId: number;
  /** The caller in whose turn the store is read. */
  readonly callerId: number;
  /** The message after which the page begins; below the first message for the first page. */
  readonly afterId: number;
  readonly lastId: number;
  readonly state: SendingState | undefined;
  readonly meaning: Meaning | undefined;
  readonly limit: number;
}

interface PersonRow {
  readonly id: number;
  readonly recipient: string;
  readonly status: number;
  readonly changedAt: number;
}

export interface PersonOfSending extends PersonRow {
  readonly meaning: Meaning;
  /** How many SMS answered. */
  readonly answers: number;
  /** The latest answer; null when it is no longer stored. */
  readonly text: string | null;
  readonly answeredAt: number | null;
}

const answersOfMessage = sql`FROM sending_answers
  WHERE sending_answers.company_id = messages.company_id AND sending_answers.message_id = messages.id`;

const hasMeant: Readonly<Record<Meaning, Sql>> = {
  silent: sql`NOT EXISTS (SELECT 1 ${answersOfMessage})`,
  other: sql`EXISTS (SELECT 1 ${answersOfMessage})
    AND NOT EXISTS (SELECT 1 ${answersOfMessage} AND meaning < ${literal(code.other)})`,
  yes: sql`(SELECT ${latestClear} ${answersOfMessage}) % 2 = ${literal(code.yes)}`,
  no: sql`(SELECT ${latestClear} ${answersOfMessage}) % 2 = ${literal(code.no)}`,
};

/** With one row more than the page has, if there are more. */
export const readPeopleOfSending = inTurns(
  readVerb(
    'messages.readPeopleOfSending',
    async (reading, query: PeopleQuery): Promise<readonly PersonOfSending[]> => {
      const { companyId, afterId, lastId, state, meaning, limit } = query;
      const inState = state === undefined ? sql`` : sql`AND status ${oneOf('smallint', statusesOf(state))}`;
      const meant = meaning === undefined ? sql`` : sql`AND ${hasMeant[meaning]}`;
      const rows = await reading.all<PersonRow>(
        sql`SELECT id, recipient, status, changed_at AS "changedAt" FROM messages
            WHERE company_id = ${companyId} AND id > ${afterId} AND id <= ${lastId} ${inState} ${meant}
            ORDER BY id LIMIT ${limit}`,
      );
      const answers = await answersTo(
        reading,
        companyId,
        rows.map(({ id }) => id),
      );
      return rows.map((row) => ({ ...row, ...(answers.get(row.id) ?? silent) }));
    },
  ),
  ({ companyId, callerId }) => ({ companyId, userId: callerId }),
);

type Answer = Pick<PersonOfSending, 'meaning' | 'answers' | 'text' | 'answeredAt'>;

const silent: Answer = { meaning: 'silent', answers: 0, text: null, answeredAt: null };

async function answersTo(
  reading: Reading,
  companyId: number,
  messageIds: readonly number[],
): Promise<ReadonlyMap<number, Answer>> {
  if (messageIds.length === 0) return new Map();
  const rows = await reading.all<{
    messageId: number;
    answers: number;
    clear: number | null;
    text: string | null;
    answeredAt: number;
  }>(
    sql`SELECT message_id AS "messageId", answers, clear, answered_at AS "answeredAt",
          (SELECT text FROM incoming_messages WHERE incoming_messages.id = (
            SELECT incoming_id FROM sending_answers AS latest
            WHERE latest.company_id = ${companyId} AND latest.message_id = answered.message_id
            ORDER BY latest.received_at DESC, latest.incoming_id DESC LIMIT 1)) AS text
        FROM (SELECT message_id, COUNT(*) AS answers, ${latestClear} AS clear, MAX(received_at) AS answered_at
          FROM sending_answers WHERE company_id = ${companyId} AND message_id ${oneOf('bigint', messageIds)}
          GROUP BY message_id) AS answered`,
  );
  return new Map(
    rows.map(({ messageId, clear, ...answer }) => [messageId, { ...answer, meaning: meaningOf(clear) }]),
  );
}
