/** Sends a message again as it was: a new message, which the one who asks pays. */
import type { Caller } from '../../accounts/caller.ts';
import { byUser, recordAct } from '../../audit/audit-log.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { refusable, singleWriteVerb } from '../../storage/verb.ts';
import type { InspectedMessage } from '../operator/inspect-store.ts';
import { type Acceptance, type Accepted, acceptWithin, messageIdsIn } from '../sending/accept-within.ts';
import { type AcceptedMessage, type Sending, send } from '../sending/send.ts';
import { readMessage } from './read-message.ts';

export interface ResendRequest {
  readonly id: string;
  readonly validminutes: number;
}

/** The run of a saved job that a message is of; null: it is of none. */
export type FindRunOf = (message: Pick<InspectedMessage, 'companyId' | 'id'>) => Promise<number | null>;

export interface Resending extends Sending {
  readonly findRunOf: FindRunOf;
}

export async function resend(
  sending: Resending,
  caller: Caller,
  { id, validminutes }: ResendRequest,
  idempotencyKey: string | undefined,
): Promise<AcceptedMessage> {
  const message = await readMessage(sending, caller, id);
  await refuseOfRun(sending, message);
  const { recipient, sender, text, conversation, costCenter, flash, isFromPool } = message;
  const twoway = isFromPool === 1;
  const request = {
    ...{
      to: [recipient],
      tosubst: [],
      from: twoway ? undefined : sender,
      message: text,
      twoway,
      validminutes,
    },
    ...{
      templateid: undefined,
      onlytemplateplaceholders: false,
      replacecharacters: false,
      checknumber: false,
    },
    conversation: conversation === '' ? undefined : conversation,
    costcenter: costCenter === '' ? undefined : costCenter,
    flash: flash === 1,
    defaultcountrycode: undefined,
    scheduletime: undefined,
  };
  const { username } = caller;
  const { accepted } = await send(sending, caller, request, idempotencyKey, {
    accept: (acceptance) => sending.store.write(acceptResent, { acceptance, username, id, twoway }),
  });
  return accepted[0] as AcceptedMessage;
}

/** Sent by anybody else, it would come from another number, and the run would never hear the answer. */
async function refuseOfRun({ findRunOf }: Resending, message: InspectedMessage): Promise<void> {
  const runId = await findRunOf(message);
  if (runId === null) return;
  const code = 'invalid_value';
  const error = `Message ${message.id} is of run ${runId} of a saved job, which alone can send it again. Nothing was sent.`;
  throw new ServiceError(code, error, { errors: [{ field: 'id', code, error }] });
}

interface Resent {
  readonly acceptance: Acceptance;
  readonly username: string;
  /** Of the message that is sent again. */
  readonly id: string;
  readonly twoway: boolean;
}

export const acceptResent = refusable(
  singleWriteVerb('messages.acceptResent', async (transaction, resent: Resent): Promise<Accepted> => {
    const { acceptance, username, id, twoway } = resent;
    const [accepted] = await acceptWithin(transaction, [acceptance], twoway ? 'fromPool' : 'asGiven');
    if (accepted?.kind === 'accepted') {
      const { companyId, now: at } = acceptance;
      await recordAct(transaction, {
        ...{ companyId, at, by: byUser({ username }), act: 'message.resend', object: id },
        details: `as ${messageIdsIn(acceptance).join(', ')}`,
      });
    }
    return accepted as Accepted;
  }),
);
