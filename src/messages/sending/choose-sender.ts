/** Chooses the sender of an SMS (API: /send, `from`). */
import type { Caller } from '../../accounts/caller.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { orThrow } from '../../foundation/result.ts';
import type { SenderOwners } from '../../routing/sender-owners.ts';
import { parseSender } from '../../wire/sender-id.ts';

/** The caller's choice, else the account's default, else the company's. */
export function chooseSender(
  caller: Pick<Caller, 'companyId' | 'defaultSender' | 'allowedSenders'>,
  from: string | undefined,
  owners: SenderOwners,
): string {
  const wanted = from ?? caller.defaultSender;
  if (wanted === undefined) {
    throw new ServiceError(
      'no_sender',
      'Give a sender in `from`: neither the account nor its company has a default.',
    );
  }
  // Provisioned senders were checked when they were provisioned.
  const sender = from === undefined ? wanted : parsed(from);
  if (caller.allowedSenders?.has(sender) === false) {
    throw new ServiceError(
      'sender_not_allowed',
      `The account may not send from ${sender}. Its senders are: ${[...caller.allowedSenders].join(', ')}.`,
    );
  }
  return orThrow(owners.judge(caller.companyId, sender));
}

function parsed(from: string): string {
  return orThrow(parseSender(from)).value;
}
