/** The front page: what needs attention, the state of today's messages, and what was sent last. */

import { Link } from '@tanstack/react-router';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { Page, Section } from '../design/page.tsx';
import { SkeletonRows } from '../design/skeleton-rows.tsx';
import { type Tone, toneOf } from '../design/status-badge.tsx';
import { TextWithTimes } from '../design/time.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { useNumbers } from '../words/words.ts';
import { useBatchLines } from './batch-lines.tsx';
import styles from './home.module.css';
import { useIncomingLines } from './incoming-lines.tsx';
import { LatestMessages } from './latest-messages.tsx';
import { Lines } from './lines.tsx';
import { useRunLines } from './run-lines.tsx';
import { useSendingLines } from './sending-lines.tsx';
import { useLatestCounts, useServiceLines } from './service-lines.tsx';
import { useStart } from './start.ts';
import { useHomeWords } from './texts.ts';
import { useWebhookLines } from './webhook-lines.tsx';

export function HomePage() {
  const words = useHomeWords();
  const session = useSession();
  const seesMessages = hasOneOf(session, ['send', 'jobs', 'companyAdmin']);
  return (
    <Page title={words.title} lead={words.lead(session.company.name)}>
      {seesMessages && (
        <>
          <NeedsMe />
          <Today />
          <LatestMessages />
        </>
      )}
    </Page>
  );
}

/** What needs the reader's attention, before everything else; if nothing does, the page says so. */
function NeedsMe() {
  const words = useHomeWords();
  const batches = useBatchLines();
  const runs = useRunLines();
  const sendings = useSendingLines();
  const sources = [runs, useServiceLines(), useWebhookLines(), useIncomingLines(), batches, sendings];
  const needs = sources.flatMap((source) => source.needs);
  const underWay = [...runs.underWay, ...batches.underWay, ...sendings.underWay];
  const queries = [useStart(), ...sources.flatMap((source) => source.queries)];
  const failed = queries.filter(({ error }) => error !== null);
  const isLoading = queries.some((query) => query.isLoading);
  const tryAgain = () => failed.forEach(({ refetch }) => void refetch());
  return (
    <>
      <Section title={words.needsMe}>
        <FaultNotice fault={failed[0]?.error} tryAgain={tryAgain} />
        {needs.length > 0 && <Lines label={words.needsMe} lines={needs} />}
        {needs.length === 0 && isLoading && <SkeletonRows count={1} height="3.75rem" />}
        {needs.length === 0 && !isLoading && failed.length === 0 && (
          <p className={`${styles.calm} ${layout.wash} ${layout.name} ${layout.row}`} data-tone="good">
            <Icon name="check" />
            {words.nothing}
          </p>
        )}
      </Section>
      {underWay.length > 0 && (
        <Section title={words.underWay}>
          <Lines label={words.underWay} lines={underWay} />
        </Section>
      )}
    </>
  );
}

const figure = `${styles.figure} ${layout.bare}`;
const figures = ['delivered', 'moving', 'waiting', 'failed'] as const satisfies readonly Tone[];

/** The state of today's messages, in five figures that link to their lists. */
function Today() {
  const words = useHomeWords();
  const number = useNumbers();
  const { data, error, isPending, refetch } = useLatestCounts();
  if (isPending) return <SkeletonRows count={1} height="5rem" />;
  if (data === undefined) return <FaultNotice fault={error} tryAgain={() => void refetch()} />;
  const { statuses, messages, more, since } = data;
  const sum = (tone: Tone) =>
    statuses.reduce((all, one) => all + (toneOf[one.status] === tone ? one.messages : 0), 0);
  return (
    <Section title={words.today}>
      <div className={`${styles.figures} ${layout.sheet}`}>
        <Link to="/messages" search={{ period: 'today' }} className={figure}>
          <strong>
            {number(messages)}
            {more && '+'}
          </strong>{' '}
          {words.figures.accepted}
        </Link>
        {figures.map((tone) => (
          <Link
            key={tone}
            to="/messages"
            search={{ state: tone, period: 'today' }}
            className={figure}
            data-tone={sum(tone) > 0 ? tone : undefined}
          >
            <strong>{number(sum(tone))}</strong> {words.figures[tone]}
          </Link>
        ))}
      </div>
      {more && (
        <p className={layout.soft}>
          <TextWithTimes text={words.counted(number(messages), since)} />
        </p>
      )}
    </Section>
  );
}
