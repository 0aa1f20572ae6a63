/** Answers query_sm and cancel_sm (SMPP 3.4 4.8, 4.9) about the user's own messages. */
import type { Caller } from '../accounts/caller.ts';
import { ServiceError } from '../foundation/errors.ts';
import { isFinal, parseMessageId, status } from '../messages/message.ts';
import { cancel } from '../messages/operator/cancel.ts';
import type { Context } from '../storage/context.ts';
import { sql } from '../storage/sql.ts';
import { readVerb } from '../storage/verb.ts';
import { commandStatus } from '../wire/smpp/command-status.ts';
import { maxListLength, type PduOf } from '../wire/smpp/commands.ts';
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
  /** How many messages to read: all those of a submit_multi have one id. */
  readonly most: number;
}

interface OwnMessage {
  /** The message's own id. */
  readonly id: number;
  readonly status: number;
  readonly changedAt: number;
}

/** None if the user has no such message; `waiting` is a part whose others have not come. */
export const readOwnMessages = readVerb(
  'esme.readOwnMessages',
  async (reading, { companyId, userId, id, most }: Asked): Promise<readonly OwnMessage[] | 'waiting'> => {
    const found = await reading.all<OwnMessage>(
      sql`SELECT id, status, changed_at AS "changedAt" FROM messages
          WHERE company_id = ${companyId} AND id = ${id} AND user_id = ${userId}`,
    );
    if (found.length < most)
      found.push(
        ...(await reading.all<OwnMessage>(
          sql`SELECT messages.id, messages.status, messages.changed_at AS "changedAt"
              FROM (SELECT message_id FROM esme_messages WHERE company_id = ${companyId} AND shown_id = ${id}
                AND shown_id <> message_id ORDER BY message_id LIMIT ${most}) AS shown
              JOIN messages ON messages.company_id = ${companyId} AND messages.id = shown.message_id
              WHERE messages.user_id = ${userId}`,
        )),
      );
    if (found.length > 0) return found;
    const part = await reading.first<object>(
      sql`SELECT id FROM esme_parts WHERE id = ${id} AND user_id = ${userId}`,
    );
    return part === undefined ? [] : 'waiting';
  },
);

async function ownMessages(
  { store }: Pick<Context, 'store'>,
  { companyId, userId }: Caller,
  messageId: string,
  most: number,
): Promise<readonly OwnMessage[] | 'waiting'> {
  const id = parseMessageId(messageId);
  return id === undefined ? [] : store.read(readOwnMessages, { companyId, userId, id, most });
}

export async function query(
  context: Pick<Context, 'store'>,
  caller: Caller,
  pdu: PduOf<'querySm'>,
): Promise<PduInput> {
  const found = await ownMessages(context, caller, pdu.messageId, 1);
  const message = found === 'waiting' ? { status: status.QUEUED, changedAt: 0 } : found[0];
  if (message === undefined) return refusalOf(pdu, commandStatus.ESME_RINVMSGID);
  const { status: code, changedAt } = message;
  return {
    command: 'querySmResp',
    sequence: pdu.sequence,
    messageId: pdu.messageId,
    finalDate: isFinal(code) ? absoluteTime(changedAt) : '',
    messageState: messageStates[messageStateOf(code)],
  };
}

/** What is still waiting is cancelled; a list of messages by their numbers is not. */
export async function cancelMessages(
  context: Context,
  caller: Caller,
  pdu: PduOf<'cancelSm'>,
): Promise<PduInput> {
  const found = await ownMessages(context, caller, pdu.messageId, maxListLength);
  if (found.length === 0) return refusalOf(pdu, commandStatus.ESME_RINVMSGID);
  if (found === 'waiting') return refusalOf(pdu, commandStatus.ESME_RCANCELFAIL);
  const { store, clock } = context;
  const waiting = found.filter(({ status: code }) => code === status.QUEUED || code === status.SCHEDULED);
  const ended = await Promise.allSettled(waiting.map(({ id }) => cancel(store, clock, String(id), caller)));
  const errors = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  if (errors.length === 0 && waiting.length === found.length)
    return { command: 'cancelSmResp', sequence: pdu.sequence };
  const areLate = errors.every((error) => error instanceof ServiceError && error.status < 500);
  return refusalOf(pdu, areLate ? commandStatus.ESME_RCANCELFAIL : commandStatus.ESME_RSYSERR);
}
