/** Sends a message again as it was: a new message, which the one who asks pays. */
import type { Caller } from '../../accounts/caller.ts';
import { type ActingUser, byUser, recordAct } from '../../audit/audit-log.ts';
import { errorOfFields } from '../../foundation/errors.ts';
import { fault } from '../../foundation/result.ts';
import { refusable, type Transaction, writeVerb } from '../../storage/verb.ts';
import { type InspectedMessage, readMessage } from '../operator/inspect.ts';
import { type Acceptance, type Accepted, acceptWithin, messageIdsIn } from '../sending/accept.ts';
import { type AcceptedMessage, type Sending, send } from '../sending/send.ts';

export interface ResendRequest {
  readonly id: string;
  readonly validMinutes: number;
  readonly scheduleTime: string | undefined;
}

/** The run of a saved job that a message is of; null: it is of none. */
export type FindRunOf = (message: Pick<InspectedMessage, 'companyId' | 'id'>) => Promise<number | null>;

export interface Resending extends Sending {
  readonly findRunOf: FindRunOf;
}

export async function resend(
  sending: Resending,
  caller: Caller,
  { id, validMinutes, scheduleTime }: ResendRequest,
  idempotencyKey: string | undefined,
): Promise<AcceptedMessage> {
  const message = await readMessage(sending, caller, id);
  await refuseOfRun(sending, message);
  const { recipient, sender, text, conversation, costCenter, flash, isFromPool } = message;
  const twoway = isFromPool === 1;
  const request = {
    to: [recipient],
    tosubst: [],
    from: twoway ? undefined : sender,
    message: text,
    twoway,
    validminutes: validMinutes,
    templateid: undefined,
    onlytemplateplaceholders: false,
    replacecharacters: false,
    checknumber: false,
    conversation: conversation === '' ? undefined : conversation,
    costcenter: costCenter === '' ? undefined : costCenter,
    flash: flash === 1,
    defaultcountrycode: undefined,
    scheduletime: scheduleTime,
  };
  const { username, session } = caller;
  const { accepted } = await send(sending, caller, request, idempotencyKey, {
    accept: (acceptance) =>
      sending.store.write(twoway ? acceptTwoWayResent : acceptResent, { acceptance, username, session, id }),
  });
  return accepted[0] as AcceptedMessage;
}

/** Sent by anybody else, it would come from another number, and the run would never hear the answer. */
async function refuseOfRun({ findRunOf }: Resending, message: InspectedMessage): Promise<void> {
  const runId = await findRunOf(message);
  if (runId === null) return;
  const said = { sentence: 'message_of_run', message: message.id, run: runId } as const;
  throw errorOfFields(fault('invalid_value', said), 'id');
}

export interface Resent extends ActingUser {
  readonly acceptance: Acceptance;
  /** The id of the message that is sent again. */
  readonly id: string;
}

const weightOf = ({ acceptance }: Resent) => acceptance.rows.length;

export const acceptResent = refusable(
  writeVerb<Resent, Accepted>(
    'messages.acceptResent',
    (transaction, inputs) => acceptAll(transaction, inputs, 'asGiven'),
    weightOf,
  ),
);

/** A verb of its own, as with SMS in general: the pool is locked before any account is. */
export const acceptTwoWayResent = refusable(
  writeVerb<Resent, Accepted>(
    'messages.acceptTwoWayResent',
    (transaction, inputs) => acceptAll(transaction, inputs, 'fromPool'),
    weightOf,
  ),
);

/** All at once, since accounts are locked in one order. */
async function acceptAll(
  transaction: Transaction,
  inputs: readonly Resent[],
  senders: 'asGiven' | 'fromPool',
): Promise<Accepted[]> {
  const acceptances = inputs.map(({ acceptance }) => acceptance);
  const outcomes = await acceptWithin(transaction, acceptances, senders);
  for (const [place, { acceptance, username, session, id }] of inputs.entries()) {
    if (outcomes[place]?.kind !== 'accepted') continue;
    const { companyId, now: at } = acceptance;
    await recordAct(transaction, {
      companyId,
      at,
      by: byUser({ username, session }),
      act: 'message.resend',
      object: id,
      details: `as ${messageIdsIn(acceptance).join(', ')}`,
    });
  }
  return [...outcomes];
}
