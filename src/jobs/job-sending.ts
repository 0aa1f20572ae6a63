/** What runs send by: SMS, and mail to those who have no phone. */
import type { Sending } from '../messages/sending/send.ts';
import type { JobMailSettings } from './by-mail/job-mail.ts';

export interface JobSending extends Sending {
  /** Undefined: no relay is set, so that no mail can be sent. */
  readonly mail: JobMailSettings | undefined;
}

/** To stand in a record, or behind a colon. */
const noRelay = 'no phone number, and no relay for mail is set';

export function obstacleToMail({ mail }: Pick<JobSending, 'mail'>): { readonly mail?: string } {
  return mail === undefined ? { mail: noRelay } : {};
}
