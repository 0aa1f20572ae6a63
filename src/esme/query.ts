/** Answers query_sm and cancel_sm (SMPP 3.4 4.8, 4.9) about the user's own messages. */
import type { Caller } from '../accounts/caller.ts';
import { ServiceError } from '../foundation/errors.ts';
import { isFinal, parseMessageId, status } from '../messages/message.ts';
import { cancel } from '../messages/operator/cancel.ts';
import type { Context } from '../storage/context.ts';
import { sql } from '../storage/sql.ts';
import { readVerb } from '../storage/verb.ts';
import { commandStatus } from '../wire/smpp/command-status.ts';
import type { PduOf } from '../wire/smpp/commands.ts';
import { messageStates } from '../wire/smpp/message-states.ts';
import type { PduInput } from '../wire/smpp/pdu.ts';
import { refusalOf } from '../wire/smpp/responses.ts';
import { absoluteTime } from '../wire/smpp/smpp-time.ts';
import { messageStateOf } from './delivery-pdu.ts';

interface Asked {
  readonly companyId: number;
  readonly userId: number;
  /** As the client knows it. */
  readonly id: number;
}

interface OwnMessage {
  /** The message's own id. */
  readonly id: number;
  readonly status: number;
  readonly changedAt: number;
}

/** Undefined if the user has no such message; `waiting` is a part whose others have not come. */
export const readOwnMessage = readVerb(
  'esme.readOwnMessage',
  async (reading, { companyId, userId, id }: Asked): Promise<OwnMessage | 'waiting' | undefined> => {
    const found =
      (await reading.first<OwnMessage>(
        sql`SELECT id, status, changed_at AS "changedAt" FROM messages
            WHERE company_id = ${companyId} AND id = ${id} AND user_id = ${userId}`,
      )) ??
      (await reading.first<OwnMessage>(
        sql`SELECT messages.id, messages.status, messages.changed_at AS "changedAt"
            FROM (SELECT message_id FROM esme_messages WHERE company_id = ${companyId} AND shown_id = ${id}
              AND shown_id <> message_id LIMIT 1) AS shown
            JOIN messages ON messages.company_id = ${companyId} AND messages.id = shown.message_id
            WHERE messages.user_id = ${userId}`,
      ));
    if (found !== undefined) return found;
    const part = await reading.first<object>(
      sql`SELECT id FROM esme_parts WHERE id = ${id} AND user_id = ${userId}`,
    );
    return part && 'waiting';
  },
);

export async function query(
  { store }: Pick<Context, 'store'>,
  { companyId, userId }: Caller,
  pdu: PduOf<'querySm'>,
): Promise<PduInput> {
  const id = parseMessageId(pdu.messageId);
  const found = id === undefined ? undefined : await store.read(readOwnMessage, { companyId, userId, id });
  if (found === undefined) return refusalOf(pdu, commandStatus.ESME_RINVMSGID);
  const { status: code, changedAt } = found === 'waiting' ? { status: status.QUEUED, changedAt: 0 } : found;
  return {
    command: 'querySmResp',
    sequence: pdu.sequence,
    messageId: pdu.messageId,
    finalDate: isFinal(code) ? absoluteTime(changedAt) : '',
    messageState: messageStates[messageStateOf(code)],
  };
}

/** A message that is still waiting is cancelled; a list of messages by their numbers is not. */
export async function cancelMessage(
  { store, clock }: Context,
  caller: Caller,
  pdu: PduOf<'cancelSm'>,
): Promise<PduInput> {
  const { companyId, userId } = caller;
  const id = parseMessageId(pdu.messageId);
  const found = id === undefined ? undefined : await store.read(readOwnMessage, { companyId, userId, id });
  if (found === undefined) return refusalOf(pdu, commandStatus.ESME_RINVMSGID);
  if (found === 'waiting') return refusalOf(pdu, commandStatus.ESME_RCANCELFAIL);
  try {
    await cancel(store, clock, String(found.id), caller);
    return { command: 'cancelSmResp', sequence: pdu.sequence };
  } catch (error) {
    const isLate = error instanceof ServiceError && error.status < 500;
    return refusalOf(pdu, isLate ? commandStatus.ESME_RCANCELFAIL : commandStatus.ESME_RSYSERR);
  }
}
