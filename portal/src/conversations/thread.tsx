/** One conversation: the messages in both directions, day by day, and the reply being written. */
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useAct, useList, useRead } from '../api/queries.ts';
import { Button, ButtonLink } from '../design/button.tsx';
import { ReasonText } from '../design/fault-text.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import pick from '../design/pick-list.module.css';
import { SkeletonRows } from '../design/skeleton-rows.tsx';
import { showFault, showToast } from '../design/toasts.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import type { ShownConversation } from './address.ts';
import { conversationsPath, conversationsRoute } from './address.ts';
import { AssigneeField } from './assignee.tsx';
import { Bubbles } from './bubbles.tsx';
import styles from './conversations.module.css';
import { ReplyForm } from './reply-form.tsx';
import { useConversationWords } from './texts.ts';

const path = '/api/v1/conversations/{id}';

export function Thread({ id }: { readonly id: string }) {
  const words = useConversationWords();
  const { username } = useSession();
  const list = useList(path, 'messages', { id, limit: 40 }, { live: ['conversations', 'messages'] });
  const { first: conversation, fault, isLoading } = list;
  useReading(conversation, username);
  if (isLoading) return <SkeletonRows />;
  if (conversation === undefined) return <FaultNotice fault={fault} tryAgain={list.reload} />;
  return (
    <section className={styles.open} aria-label={conversation.name || conversation.phone}>
      <ThreadHeader conversation={conversation} />
      <Bubbles list={list} />
      {fault !== null && <FaultNotice fault={fault} tryAgain={list.reload} />}
      {conversation.noReply === undefined ? (
        <ReplyForm conversation={conversation} />
      ) : (
        <div className={styles.reply}>
          <Notice>
            {words.over} <ReasonText reason={conversation.noReply} values={conversation.noReplyValues} />
          </Notice>
        </div>
      )}
    </section>
  );
}

/** Shows no error, because the list still shows the conversation as unread. */
const stayUnread = () => undefined;

/** Opening a conversation marks it as read for its user. Administrators who only look leave the marks of others alone. */
function useReading(conversation: ShownConversation | undefined, username: string): void {
  const { id, version, unread } = conversation ?? {};
  const isOwn = conversation?.username === username;
  const { mutate } = useAct('/api/v1/conversations/{id}/read');
  useEffect(() => {
    if (id === undefined || !isOwn || unread === 0) return;
    const read = () => {
      // If the conversation has continued meanwhile, the new messages are shown before they are marked as read.
      if (!document.hidden) mutate({ parameters: { id }, version }, { onError: stayUnread });
    };
    read();
    document.addEventListener('visibilitychange', read);
    return () => document.removeEventListener('visibilitychange', read);
  }, [id, version, unread, isOwn, mutate]);
}

function ThreadHeader({ conversation }: { readonly conversation: ShownConversation }) {
  const words = useConversationWords();
  const { username } = useSession();
  const { open: _, ...search } = conversationsRoute.useSearch();
  const { id, name, phone, number, username: owner, runId, unread } = conversation;
  const reading = useAct('/api/v1/conversations/{id}/read');
  return (
    <header className={`${styles.header} ${layout.beside}`}>
      <ButtonLink
        to="/conversations"
        search={search}
        look="quiet"
        className={pick.back ?? ''}
        aria-label={words.back}
        icon={<Icon name="left" />}
      />
      <div className={layout.fill}>
        <h2 className={`${layout.name} ${layout.clip}`}>
          <Link to="/people" search={{ q: phone }} title={words.person}>
            {name === '' ? <PhoneNumber number={phone} /> : name}
          </Link>
        </h2>
        <p className={layout.soft}>
          {name !== '' && (
            <>
              <PhoneNumber number={phone} />{' '}
            </>
          )}
          {words.to} <PhoneNumber number={number} />
          {owner !== username && ` · ${words.of(owner)}`}
          {runId !== undefined && <RunLink id={runId} />}
        </p>
        <AssigneeField conversation={conversation} />
      </div>
      {owner !== username && unread > 0 && (
        <Button small busy={reading.isPending} onClick={() => reading.mutate({ parameters: { id } })}>
          {words.markRead}
        </Button>
      )}
      <ArchiveButton conversation={conversation} />
    </header>
  );
}

/** The run that the person answers, by its name for those who may see it. */
function RunLink({ id }: { readonly id: number }) {
  const words = useConversationWords();
  const seesRuns = hasOneOf(useSession(), ['jobs', 'companyAdmin']);
  const run = useRead('/api/v1/runs/{id}', { id }, { enabled: seesRuns }).data;
  if (run === undefined) return ` · ${words.ofRun(id)}`;
  return (
    <>
      {' · '}
      <Link to="/runs/$id" params={{ id: run.id }}>
        {words.toRun(run.name)}
      </Link>
    </>
  );
}

function ArchiveButton({
  conversation: { id, archived, version },
}: {
  readonly conversation: ShownConversation;
}) {
  const words = useConversationWords();
  const navigate = useNavigate({ from: conversationsPath });
  const archiving = useAct('/api/v1/conversations/{id}/archive');
  const takingBack = useAct('/api/v1/conversations/{id}/unarchive');
  const takeBack = () => takingBack.mutate({ parameters: { id } }, { onError: showFault });
  const archive = () =>
    archiving.mutate(
      { parameters: { id }, version },
      {
        onError: showFault,
        onSuccess(_answer, isShown) {
          if (isShown) void navigate({ search: ({ open: _, ...rest }) => rest });
          showToast({ text: words.wasArchived, undo: takeBack });
        },
      },
    );
  if (archived)
    return (
      <Button small busy={takingBack.isPending} onClick={takeBack}>
        {words.unarchive}
      </Button>
    );
  return (
    <Button
      small
      data-archive=""
      icon={<Icon name="archive" size={16} />}
      busy={archiving.isPending}
      onClick={archive}
    >
      {words.archive}
    </Button>
  );
}
