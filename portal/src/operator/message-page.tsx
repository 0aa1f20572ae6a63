/** One message of a company: where it is and what happened to it; its text only if operators may read texts. */
import { useParams } from '@tanstack/react-router';
import { useRead } from '../api/queries.ts';
import { Answered } from '../design/answered.tsx';
import { BackLink } from '../design/button.tsx';
import { Facts } from '../design/facts.tsx';
import layout from '../design/layout.module.css';
import { Card, Page, Section } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { StatusBadge } from '../design/status-badge.tsx';
import { TextWithTimes, Time } from '../design/time.tsx';
import { Timeline } from '../design/timeline.tsx';
import { language } from '../words/language.ts';
import { useOperatorWords } from './texts.ts';

export function OperatorsMessagePage() {
  const words = useOperatorWords();
  const { id, message } = useParams({ from: '/operator/companies/$id/messages/$message' });
  const read = useRead('/api/v1/operator/companies/{id}/messages/{message}', { id, message, language });
  return (
    <Page
      title={words.message(message)}
      lead={read.data && <StatusBadge status={read.data.status} simulated={read.data.simulated === true} />}
      back={
        <BackLink to="/operator/companies/$id" params={{ id }}>
          {words.company}
        </BackLink>
      }
    >
      <Answered read={read}>
        {(found) => (
          <>
            <Card className={layout.stack}>
              <p>
                <TextWithTimes text={found.why} /> {found.todo && <TextWithTimes text={found.todo} />}
              </p>
              <Facts
                facts={[
                  [words.to, <PhoneNumber key="to" number={found.to} />],
                  [words.from, found.from],
                  [words.user, found.username],
                  [words.carrier, found.carrier],
                  [words.attempts, String(found.attempts)],
                  [words.parts, String(found.parts)],
                  [words.accepted, <Time key="accepted" at={found.accepted} full />],
                  [words.changed, <Time key="changed" at={found.changed} full />],
                ]}
              />
              <p className={found.message === undefined ? layout.soft : layout.wraps}>
                {found.message ?? words.noText}
              </p>
            </Card>
            <Section title={words.happened}>
              <Timeline message={found} />
            </Section>
          </>
        )}
      </Answered>
    </Page>
  );
}
