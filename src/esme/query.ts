/** Answers query_sm and cancel_sm (SMPP 3.4 4.8, 4.9) about the user's own messages. */
import type { Caller } from '../accounts/caller.ts';
import { ServiceError } from '../foundation/errors.ts';
import { isFinal, parseMessageId } from '../messages/message.ts';
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

interface OwnMessage {
  readonly companyId: number;
  readonly userId: number;
  readonly id: number;
}

export const readOwnMessage = readVerb(
  'esme.readOwnMessage',
  async (reading, { companyId, userId, id }: OwnMessage) =>
    reading.first<{ status: number; changedAt: number }>(
      sql`SELECT status, changed_at AS "changedAt" FROM messages
          WHERE company_id = ${companyId} AND id = ${id} AND user_id = ${userId}`,
    ),
);

export async function query(
  { store }: Pick<Context, 'store'>,
  { companyId, userId }: Caller,
  pdu: PduOf<'querySm'>,
): Promise<PduInput> {
  const id = parseMessageId(pdu.messageId);
  const found = id === undefined ? undefined : await store.read(readOwnMessage, { companyId, userId, id });
  if (found === undefined) return refusalOf(pdu, commandStatus.ESME_RINVMSGID);
  const { status, changedAt } = found;
  return {
    command: 'querySmResp',
    sequence: pdu.sequence,
    messageId: pdu.messageId,
    finalDate: isFinal(status) ? absoluteTime(changedAt) : '',
    messageState: messageStates[messageStateOf(status)],
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
  try {
    await cancel(store, clock, pdu.messageId, caller);
    return { command: 'cancelSmResp', sequence: pdu.sequence };
  } catch (error) {
    const isLate = error instanceof ServiceError && error.status < 500;
    return refusalOf(pdu, isLate ? commandStatus.ESME_RCANCELFAIL : commandStatus.ESME_RSYSERR);
  }
}
