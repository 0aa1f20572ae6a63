/** The live list of conversations: names, last messages, and what is unread. */
import { Link, useNavigate } from '@tanstack/react-router';
import type { AnswerOf } from '../api/endpoints.ts';
import { useList } from '../api/queries.ts';
import { useTypedSearch } from '../browser/typed-search.ts';
import { Button, ButtonLink } from '../design/button.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { CheckField, Choice, SelectField, TextField } from '../design/field.tsx';
import { useLaterWords } from '../design/later-texts.ts';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import pick from '../design/pick-list.module.css';
import { SkeletonRows } from '../design/skeleton-rows.tsx';
import { Time } from '../design/time.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { assignments, type ConversationsSearch, conversationsPath, conversationsRoute } from './address.ts';
import { Initials } from './assignee.tsx';
import styles from './conversations.module.css';
import { useConversationWords } from './texts.ts';

export type Listed = AnswerOf<'GET', '/api/v1/conversations'>['conversations'][number];

export function useConversations({ show, mine, assigned, search }: ConversationsSearch) {
  return useList(
    '/api/v1/conversations',
    'conversations',
    { unread: show === 'unread', archived: show === 'archived', mine, assigned, search },
    { live: ['conversations'] },
  );
}

export function ConversationList() {
  const words = useConversationWords();
  const later = useLaterWords();
  const search = conversationsRoute.useSearch();
  const list = useConversations(search);
  const { items, fault, isLoading, hasMore, isLoadingMore } = list;
  if (isLoading) return <SkeletonRows height="4.75rem" />;
  if (fault !== null && items.length === 0) return <FaultNotice fault={fault} tryAgain={list.reload} />;
  if (items.length === 0 && !hasMore) return <NoConversations />;
  return (
    <nav aria-label={words.list} className={styles.scrolled}>
      {list.isBehind && (
        <Button small onClick={list.reload}>
          {later.newer}
        </Button>
      )}
      <ul>
        {items.map((conversation) => (
          <li key={conversation.id}>
            <Row conversation={conversation} />
          </li>
        ))}
      </ul>
      {fault !== null && <FaultNotice fault={fault} tryAgain={list.loadMore} />}
      {hasMore && (
        <Button look="quiet" busy={isLoadingMore} onClick={list.loadMore}>
          {later.loadMore}
        </Button>
      )}
    </nav>
  );
}

function NoConversations() {
  const words = useConversationWords();
  const { open: _, ...filters } = conversationsRoute.useSearch();
  const isAll = Object.values(filters).every((one) => one === undefined);
  return (
    <div className={styles.none}>
      {isAll ? (
        <EmptyState icon="conversations" title={words.none}>
          {words.noneText}
        </EmptyState>
      ) : (
        <EmptyState
          icon="search"
          title={filters.search === undefined ? words.noneFound : words.noneFor(filters.search)}
          action={<ButtonLink to="/conversations">{words.showAll}</ButtonLink>}
        >
          {words.noneFoundText}
        </EmptyState>
      )}
    </div>
  );
}

function Row({ conversation }: { readonly conversation: Listed }) {
  const words = useConversationWords();
  const { username } = useSession();
  const { open } = conversationsRoute.useSearch();
  const { id, name, phone, last, lastText, isOurs, unread, username: owner, runId, assignee } = conversation;
  const isOpen = id === open;
  return (
    <Link
      from={conversationsPath}
      to="/conversations"
      search={(before) => ({ ...before, open: id })}
      className={`${pick.row} ${styles.row} ${layout.line} ${layout.bare} ${layout.lazy}`}
      data-conversation={id}
      data-unread={unread > 0}
      aria-current={isOpen ? 'true' : undefined}
      activeProps={{}}
    >
      <span className={layout.clip}>{name === '' ? <PhoneNumber number={phone} /> : name}</span>
      <span className={layout.soft}>
        <Time at={last} />
      </span>
      <span className={`${styles.text} ${layout.clip} ${layout.soft}`}>
        {lastText === undefined ? (
          <i>{words.of(owner)}</i>
        ) : (
          <>
            {isOurs && <b>{words.you} </b>}
            <bdi>{lastText}</bdi>
          </>
        )}
      </span>
      <span className={`${layout.row} ${layout.tight}`}>
        {assignee !== undefined && <Initials of={assignee} />}
        {unread > 0 && (
          <span className={styles.count}>
            <span aria-hidden="true">{unread > 99 ? '99+' : unread}</span>
            <span className="unseen">{words.unreadCount(unread)}</span>
          </span>
        )}
      </span>
      {(runId !== undefined || (lastText !== undefined && owner !== username)) && (
        <span className={layout.soft}>{runId === undefined ? words.of(owner) : words.ofRun(runId)}</span>
      )}
    </Link>
  );
}

type Shown = NonNullable<ConversationsSearch['show']> | 'all';

/** The choice of which conversations are listed; it is stored in the address. */
export function ListFilters() {
  const words = useConversationWords();
  const session = useSession();
  const { show = 'all', mine, assigned = '', search = '' } = conversationsRoute.useSearch();
  const navigate = useNavigate({ from: conversationsPath });
  const change = (
    changed: { readonly [Name in keyof ConversationsSearch]: ConversationsSearch[Name] | undefined },
  ) =>
    void navigate({
      replace: true,
      search: (before) =>
        Object.fromEntries(Object.entries({ ...before, ...changed }).filter(([, value]) => value)),
    });
  const [typed, setTyped] = useTypedSearch(search, (next) => change({ search: next }));
  return (
    <div className={`${styles.filters} ${layout.stack} ${layout.tight}`}>
      <TextField
        label={<span className="unseen">{words.search}</span>}
        type="search"
        placeholder={words.search}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Choice<Shown>
        label={words.which}
        hideLabel
        value={show}
        options={[
          ['all', words.all],
          ['unread', words.unread],
          ['archived', words.archived],
        ]}
        onChange={(next) => change({ show: next === 'all' ? undefined : next })}
      />
      <SelectField
        label={<span className="unseen">{words.assignee}</span>}
        value={assigned}
        onChange={({ target }) => change({ assigned: assignments.find((one) => one === target.value) })}
      >
        <option value="">{words.assignedOrNot}</option>
        <option value="me">{words.assignedToMe}</option>
        <option value="nobody">{words.assignedToNobody}</option>
      </SelectField>
      {hasOneOf(session, ['companyAdmin']) && (
        <CheckField
          label={words.mine}
          checked={mine === true}
          onChange={({ target }) => change({ mine: target.checked ? true : undefined })}
        />
      )}
    </div>
  );
}
