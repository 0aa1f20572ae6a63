/** The endpoint through which a company's e-mail administrators see what became of its latest e-mails. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { nextOf, pageOf, pageParameters } from '../../http/parameters/page.ts';
import type { Store } from '../../storage/store.ts';
import { requireEmailAdmin } from '../senders/administer-senders.ts';
import { sentCount } from './mail-answer.ts';
import { type ListedMail, listRecentMails } from './recent-mail.ts';

const endpoint = endpointsFor<Caller>();

const recentMail = Type.Object(
  {
    received: Type.String({ description: 'ISO 8601, UTC.' }),
    from: Type.String(),
    proven: Type.Boolean({ description: 'Whether the e-mail proved its sender.' }),
    outcome: Type.Unsafe<ListedMail['outcome']>({
      type: 'string',
      enum: ['sent', 'repeated', 'ignored', 'refused'],
    }),
    reason: Type.Optional(Type.String({ description: 'Why it was refused.' })),
    answer: Type.String({ description: 'The reply to the server that delivered it.' }),
    sms: Type.Integer({ description: 'Number of SMS sent for it.' }),
  },
  { title: 'RecentMail' },
);

export function recentMailEndpoints(store: Store) {
  return [
    endpoint({
      path: '/api/v1/email/recent',
      methods: ['GET'],
      group: 'E-mail to SMS',
      operation: 'listRecentMails',
      title: 'List the latest e-mails',
      description: 'Lists what became of the company’s latest e-mails, newest first, without their texts.',
      example: { url: {} },
      credentials: anyMethod,
      parameters: pageParameters,
      answer: Type.Object({ mails: Type.Array(recentMail), next: nextOf('e-mails') }),
      errors: ['role_missing'],
      async handle(caller, { after, limit }) {
        requireEmailAdmin(caller);
        const behind = after?.time === undefined ? undefined : { receivedAt: after.time, slot: after.id };
        const page = { company: caller.companyId, after: behind, limit: limit + 1 };
        const rows = await store.read(listRecentMails, page);
        const { items, next } = pageOf(rows, limit, ({ receivedAt, slot }) => `${receivedAt}.${slot}`);
        return { mails: items.map(shownMail), next };
      },
    }),
  ] as const;
}

function shownMail({ receivedAt, sender, isProven, outcome, reason, answer }: ListedMail) {
  return {
    received: new Date(receivedAt).toISOString(),
    from: sender,
    proven: isProven,
    outcome,
    reason: reason ?? undefined,
    answer,
    sms: outcome === 'sent' ? sentCount(answer) : 0,
  };
}
