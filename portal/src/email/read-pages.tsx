/** What administrators of e-mail senders only read: the allowed domains, and what became of the latest e-mails. */
import type { AnswerOf } from '../api/endpoints.ts';
import { useList, useRead } from '../api/queries.ts';
import { Answered } from '../design/answered.tsx';
import { CursorList } from '../design/cursor-list.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import layout from '../design/layout.module.css';
import { Notice } from '../design/notice.tsx';
import { Badge, type Tone } from '../design/status-badge.tsx';
import { Time } from '../design/time.tsx';
import { EmailPage } from './email-page.tsx';
import { useEmailWords } from './texts.ts';

export function DomainsPage() {
  const words = useEmailWords();
  const read = useRead('/api/v1/email/domains', {}, { live: ['emailsenders'] });
  return (
    <EmailPage>
      <Answered read={read}>
        {({ endings }) => (
          <div className={layout.stack}>
            <p>{words.domainsText}</p>
            {endings.length === 0 && <EmptyState icon="mail">{words.noDomains}</EmptyState>}
            <ul className={layout.lines}>
              {endings.map(({ ending, warning }) => (
                <li key={ending} className={`${layout.stack} ${layout.tight}`}>
                  <div className={layout.wraps}>
                    <strong>
                      <bdi>{ending}</bdi>
                    </strong>{' '}
                    <span className={layout.soft}>
                      {ending.startsWith('.') ? words.onlyBelow(ending.slice(1)) : words.alsoBelow(ending)}
                    </span>
                  </div>
                  {warning !== undefined && <Notice tone="warning">{words.lookAlike(ending)}</Notice>}
                </li>
              ))}
            </ul>
          </div>
        )}
      </Answered>
    </EmailPage>
  );
}

type Mail = AnswerOf<'GET', '/api/v1/email/recent'>['mails'][number];

const tones: Readonly<Record<Mail['outcome'], Tone>> = {
  sent: 'delivered',
  repeated: 'cancelled',
  ignored: 'cancelled',
  refused: 'failed',
};

export function LatestPage() {
  const words = useEmailWords();
  return (
    <EmailPage>
      <p className={layout.above}>{words.latestText}</p>
      <CursorList
        label={words.latest}
        list={useList('/api/v1/email/recent', 'mails', {})}
        keyOf={(mail) => `${mail.received} ${mail.from} ${mail.answer}`}
        empty={
          <EmptyState icon="mail" title={words.noMail}>
            {words.noMailText}
          </EmptyState>
        }
        columns={[
          {
            title: words.from,
            place: 'main',
            cell: ({ from, proven }) => (
              <span className={layout.wraps}>
                <bdi>{from === '' ? words.noSender : from}</bdi>
                {!proven && <span className={layout.soft}> · {words.unproven}</span>}
              </span>
            ),
          },
          {
            title: words.outcome,
            place: 'below',
            width: 'minmax(0, 2fr)',
            cell: (mail) => <Outcome mail={mail} />,
          },
          {
            title: words.sms,
            place: 'below',
            width: '5rem',
            cell: ({ sms }) => words.smsCount(sms),
          },
          {
            title: words.when,
            place: 'aside',
            width: '8rem',
            cell: ({ received }) => <Time at={received} />,
          },
        ]}
      />
    </EmailPage>
  );
}

function Outcome({ mail: { outcome, reason, answer } }: { readonly mail: Mail }) {
  const words = useEmailWords();
  const reasons: Readonly<Record<string, string>> = words.reasons;
  return (
    <span className={layout.wraps}>
      <Badge tone={tones[outcome]}>{words.outcomes[outcome]}</Badge>{' '}
      {reason !== undefined && (reasons[reason] ?? '')}
      {outcome === 'refused' && (
        <span className={`${layout.soft} ${layout.clip}`} lang="en" title={answer}>
          {answer}
        </span>
      )}
    </span>
  );
}
