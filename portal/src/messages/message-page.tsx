/** One message: its outcome and the reason, what to do, and everything that happened to it. */
import { getRouteApi, Link } from '@tanstack/react-router';
import { useRead } from '../api/queries.ts';
import { Answered } from '../design/answered.tsx';
import { CopyButton } from '../design/as-curl.tsx';
import { BackLink } from '../design/button.tsx';
import { Facts } from '../design/facts.tsx';
import layout from '../design/layout.module.css';
import { Notice } from '../design/notice.tsx';
import { Card, Page, Section } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { StatusBadge } from '../design/status-badge.tsx';
import { TextWithTimes, Time } from '../design/time.tsx';
import { Timeline } from '../design/timeline.tsx';
import { language } from '../words/language.ts';
import { CancelButton, type Message, SendAgainButton } from './acts.tsx';
import styles from './messages.module.css';
import { useMessagesWords } from './texts.ts';

const route = getRouteApi('/messages/$id');

export function MessagePage() {
  const words = useMessagesWords();
  const { id } = route.useParams();
  const read = useRead(
    '/api/v1/messages/{id}',
    { id, language },
    { live: ['messages', 'batches'], keepsPrevious: true },
  );
  return (
    <Page
      title={`${words.oneTitle} ${id}`}
      back={<BackLink to="/messages">{words.back}</BackLink>}
      actions={read.data !== undefined && <Acts message={read.data} />}
    >
      <Answered read={read} rows={4}>
        {(message) => <Shown message={message} />}
      </Answered>
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
    <div className={`${layout.stack} ${layout.loose}`}>
      <Card className={layout.stack}>
        <div className={layout.row}>
          <strong className={layout.large}>
            <PhoneNumber number={to} />
          </strong>
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
      <div className={layout.columns}>
        <Section title={words.timeline}>
          <Timeline message={message} />
        </Section>
        <div>
          <Section title={words.text}>
            <p className={layout.sms} dir="auto">
              {message.message}
            </p>
            {flash && <p className={layout.soft}>{words.flash}</p>}
          </Section>
          <Section title={words.facts}>
            <About message={message} />
          </Section>
        </div>
      </div>
    </div>
  );
}

function About({ message }: { readonly message: Message }) {
  const words = useMessagesWords();
  const { id, from, username, parts, carrier, expires, conversation, costCenter, batchId, sendingId } =
    message;
  const found = (q: string, kind: 'conversation' | 'costCenter') =>
    q !== '' && (
      <Link to="/messages" search={{ q, kind }}>
        <bdi>{q}</bdi>
      </Link>
    );
  return (
    <Facts
      facts={[
        [words.id, id],
        [words.from, <PhoneNumber key="from" number={from} />],
        [
          words.username,
          <Link key="user" to="/messages" search={{ username }}>
            {username}
          </Link>,
        ],
        [words.size, words.parts(parts)],
        [words.carrier, carrier],
        [words.expires, <Time key="expires" at={expires} full />],
        [words.conversation, found(conversation, 'conversation')],
        [words.costCenter, found(costCenter, 'costCenter')],
        [
          words.batch,
          batchId !== undefined && (
            <Link to="/batches/$id" params={{ id: batchId }}>
              {batchId}
            </Link>
          ),
        ],
        [
          words.sending,
          sendingId !== undefined && (
            <Link to="/sendings/$id" params={{ id: sendingId }}>
              {words.toSending}
            </Link>
          ),
        ],
      ]}
    />
  );
}
