/** Sends an existing message again as a new message, paid by the caller. */
import type { Caller } from '../../accounts/caller.ts';
import { errorOfFields, ServiceError } from '../../foundation/errors.ts';
import { fault } from '../../foundation/result.ts';
import { ownKey } from '../idempotency.ts';
import { type StatusName, statusNames } from '../message.ts';
import { type InspectedMessage, readMessage } from '../operator/inspect.ts';
import { parametersOf } from '../sending/accepted-row.ts';
import { plainRequest } from '../sending/parameters.ts';
import { type AcceptedMessage, type Sending, send } from '../sending/send.ts';
import { acceptResent, acceptTwoWayResent } from './resend-store.ts';

export interface ResendRequest {
  readonly id: string;
  readonly validMinutes: number;
  readonly scheduleTime: string | undefined;
  /** The code of the status that the message must still have; undefined for any. */
  readonly ifStatus: number | undefined;
}

/** Finds the saved job's run that a message belongs to; null when it belongs to none. */
export type FindRunOf = (message: Pick<InspectedMessage, 'companyId' | 'id'>) => Promise<number | null>;

export interface Resending extends Sending {
  readonly findRunOf: FindRunOf;
}

export async function resend(
  sending: Resending,
  caller: Caller,
  { id, validMinutes, scheduleTime, ifStatus }: ResendRequest,
  idempotencyKey: string | undefined,
): Promise<AcceptedMessage> {
  const message = await readMessage(sending, caller, id);
  await refuseOfRun(sending, message);
  if (ifStatus !== undefined && message.status !== ifStatus)
    throw new ServiceError('too_late', {
      sentence: 'message_has_changed',
      message: id,
      status: statusNames[message.status] as StatusName,
    });
  const { recipient, sender, text, isFromPool } = message;
  const twoway = isFromPool === 1;
  const request = {
    ...plainRequest,
    ...parametersOf(message),
    to: [recipient],
    from: twoway ? undefined : sender,
    message: text,
    twoway,
    validminutes: validMinutes,
    scheduletime: scheduleTime,
  };
  const { username, session } = caller;
  const onlyOnce = ifStatus !== undefined;
  // What is sent only once has an answer to repeat, and so needs a key.
  const key = idempotencyKey ?? (onlyOnce ? ownKey(`resend ${id}`) : undefined);
  const { accepted } = await send(sending, caller, request, key, {
    accept(acceptance) {
      const verb = twoway ? acceptTwoWayResent : acceptResent;
      return sending.store.write(verb, { acceptance, username, session, id, onlyOnce });
    },
  });
  return accepted[0] as AcceptedMessage;
}

/** If anyone else sent it, the SMS would come from another number, and the run would never receive the answer. */
async function refuseOfRun({ findRunOf }: Resending, message: InspectedMessage): Promise<void> {
  const runId = await findRunOf(message);
  if (runId === null) return;
  const said = { sentence: 'message_of_run', message: message.id, run: runId } as const;
  throw errorOfFields(fault('invalid_value', said), 'id');
}
