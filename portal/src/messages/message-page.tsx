/** One message: what became of it, why, what to do, and all that happened to it. */
import { getRouteApi, Link } from '@tanstack/react-router';
import { useRead } from '../api/queries.ts';
import { CopyButton } from '../design/as-curl.tsx';
import { BackLink } from '../design/button.tsx';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { Card, Page, Section } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { SkeletonRows } from '../design/skeleton-rows.tsx';
import { StatusBadge } from '../design/status-badge.tsx';
import { TextWithTimes } from '../design/text-with-times.tsx';
import { Time } from '../design/time.tsx';
import { useLanguage } from '../words/language.ts';
import { CancelButton, type Message, SendAgainButton } from './acts.tsx';
import styles from './messages.module.css';
import { useMessagesWords } from './texts.ts';
import { Timeline } from './timeline.tsx';

const route = getRouteApi('/messages/$id');

export function MessagePage() {
  const words = useMessagesWords();
  const { id } = route.useParams();
  const { data, error, refetch } = useRead(
    '/api/v1/messages/{id}',
    { id, language: useLanguage() },
    { live: ['messages', 'batches'], keepsPrevious: true },
  );
  return (
    <Page
      title={`${words.oneTitle} ${id}`}
      back={<BackLink to="/messages">{words.back}</BackLink>}
      actions={data !== undefined && <Acts message={data} />}
    >
      <FaultNotice fault={error} tryAgain={() => void refetch()} />
      {data === undefined ? (
        error === null && <SkeletonRows count={4} height="5rem" />
      ) : (
        <Shown message={data} />
      )}
    </Page>
  );
}

function Acts({ message }: { readonly message: Message }) {
  const words = useMessagesWords();
  const { id, status } = message;
  return (
    <>
      <CopyButton text={location.origin + location.pathname} label={words.copyLink} small={false} />
      {(status === 'QUEUED' || status === 'SCHEDULED') && <CancelButton id={id} />}
      {status !== 'SCHEDULED' && <SendAgainButton message={message} />}
    </>
  );
}

function Shown({ message }: { readonly message: Message }) {
  const words = useMessagesWords();
  const { to, status, simulated, why, todo, flash, inDoubt } = message;
  return (
    <>
      <Card className={styles.fate ?? ''}>
        <div className={styles.fateHead}>
          <span className={styles.recipient}>
            <PhoneNumber number={to} />
          </span>
          <StatusBadge status={status} simulated={simulated} />
          <Link to="/conversations" search={{ search: to }}>
            {words.toConversation}
          </Link>
        </div>
        <p className={styles.why}>
          <TextWithTimes text={why} />
        </p>
        {todo !== undefined && (
          <p className={styles.todo}>
            <strong>{words.todo}:</strong> <TextWithTimes text={todo} />
          </p>
        )}
        {inDoubt && <Notice tone="warning">{words.inDoubt}</Notice>}
      </Card>
      <div className={styles.columns}>
        <Section title={words.timeline}>
          <Timeline message={message} />
        </Section>
        <div>
          <Section title={words.text}>
            <p className={styles.text} dir="auto">
              {message.message}
            </p>
            {flash && <p className={styles.note}>{words.flash}</p>}
          </Section>
          <Section title={words.facts}>
            <Facts message={message} />
          </Section>
        </div>
      </div>
    </>
  );
}

function Facts({ message }: { readonly message: Message }) {
  const words = useMessagesWords();
  const { id, from, username, parts, carrier, expires, conversation, costCenter, batchId } = message;
  return (
    <dl className={styles.facts}>
      <dt>{words.id}</dt>
      <dd>{id}</dd>
      <dt>{words.from}</dt>
      <dd>
        <PhoneNumber number={from} />
      </dd>
      <dt>{words.username}</dt>
      <dd>
        <Link to="/messages" search={{ username }}>
          {username}
        </Link>
      </dd>
      <dt>{words.size}</dt>
      <dd>{words.parts(parts)}</dd>
      <dt>{words.carrier}</dt>
      <dd>{carrier}</dd>
      <dt>{words.expires}</dt>
      <dd>
        <Time at={expires} full />
      </dd>
      {conversation !== '' && (
        <>
          <dt>{words.conversation}</dt>
          <dd>
            <Link to="/messages" search={{ q: conversation, kind: 'conversation' }}>
              <bdi>{conversation}</bdi>
            </Link>
          </dd>
        </>
      )}
      {costCenter !== '' && (
        <>
          <dt>{words.costCenter}</dt>
          <dd>
            <Link to="/messages" search={{ q: costCenter, kind: 'costCenter' }}>
              <bdi>{costCenter}</bdi>
            </Link>
          </dd>
        </>
      )}
      {batchId !== undefined && (
        <>
          <dt>{words.batch}</dt>
          <dd>
            <Link to="/batches/$id" params={{ id: batchId }}>
              {batchId}
            </Link>
          </dd>
        </>
      )}
    </dl>
  );
}
