/** Who may administer e-mail senders at all, and how what the store refuses is told (API: email-to-SMS, /set rule 3). */
import type { Caller } from '../../accounts/caller.ts';
import { requireRole } from '../../accounts/role.ts';
import { unauthorised } from '../../accounts/unauthorised.ts';
import { ServiceError } from '../../foundation/errors.ts';
import type { SenderRefusal } from './defaults-store.ts';
import { maxEntriesOfCompany, type SenderKey } from './sender-entry.ts';

export function requireEmailAdmin(caller: Caller): void {
  requireRole(caller, 'companyAdmin', 'emailAdmin');
}

/** `body`: what the endpoint's answer holds besides. */
export function refusalError(
  refusal: SenderRefusal,
  key?: SenderKey,
  body: Readonly<Record<string, unknown>> = {},
): ServiceError {
  switch (refusal.kind) {
    case 'companyGone':
      return unauthorised();
    case 'belongsToAnother':
      return new ServiceError(
        'belongs_to_another',
        `${key?.email ?? 'The sender'} is on the list of another company. Nothing was changed.`,
      );
    case 'tooManyEntries':
      return new ServiceError(
        'too_many_email_senders',
        `The company has ${maxEntriesOfCompany} e-mail senders, the most that calls can make. Remove some (/unset), or let the entry of a whole domain (@domain) stand for the addresses in it.`,
      );
    case 'refused':
    case 'domainRefused': {
      const { code, error } = refusal.fault;
      return new ServiceError(code, error, { errors: [refusal.fault], body });
    }
  }
}
