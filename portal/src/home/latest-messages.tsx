/**
 * The last messages, live. Each has one line, without the columns of a table, which would make the first screen
 * heavier.
 */
import { Link } from '@tanstack/react-router';
import type { AnswerOf } from '../api/endpoints.ts';
import { EmptyState } from '../design/empty-state.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { Section } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { SkeletonRows } from '../design/skeleton-rows.tsx';
import { StatusBadge } from '../design/status-badge.tsx';
import { Time } from '../design/time.tsx';
import { SendFirst } from '../session/send-first.tsx';
import styles from './home.module.css';
import { useStart } from './start.ts';
import { useHomeWords } from './texts.ts';

type Message = AnswerOf<'GET', '/api/v1/messages'>['messages'][number];

/** As many rows are kept free as there will be lines at most. */
const maxShown = 8;

export function LatestMessages() {
  const words = useHomeWords();
  return (
    <Section title={words.latest}>
      <Latest />
    </Section>
  );
}

function Latest() {
  const words = useHomeWords();
  const { data, error, isPending, refetch } = useStart();
  if (isPending) return <SkeletonRows count={maxShown} />;
  if (data === undefined) return <FaultNotice fault={error} tryAgain={() => void refetch()} />;
  const { messages } = data.messages;
  if (messages.length === 0)
    return (
      <EmptyState icon="messages" title={words.none} action={<SendFirst />}>
        {words.noneText}
      </EmptyState>
    );
  return (
    <ul className={layout.lines} aria-label={words.latest}>
      {messages.map((message) => (
        <MessageLine key={message.id} message={message} />
      ))}
    </ul>
  );
}

function MessageLine({
  message: { id, to, name, status, simulated, accepted, scheduleTime = accepted },
}: {
  readonly message: Message;
}) {
  return (
    <li className={layout.row}>
      <Link
        to="/messages/$id"
        params={{ id }}
        className={`${styles.message} ${layout.fill} ${layout.row} ${layout.bare}`}
      >
        <span className={styles.said}>
          <strong>{name ?? <PhoneNumber number={to} />}</strong>{' '}
          {name !== undefined && (
            <span className={layout.soft}>
              <PhoneNumber number={to} />
            </span>
          )}
        </span>
        <span>
          <StatusBadge status={status} simulated={simulated} />
        </span>
        <span className={`${styles.when} ${layout.soft}`}>
          <Time at={scheduleTime} />
        </span>
      </Link>
    </li>
  );
}
