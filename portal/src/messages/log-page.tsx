/** The log of messages: one search field, chips for state and period, and rows that come in live. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { queryOf } from '../../../src/wire/api-path.ts';
import { pathPrefix } from '../api/client.ts';
import { useList } from '../api/queries.ts';
import { buttonLook } from '../design/button.tsx';
import { CursorList, RowLink } from '../design/cursor-list.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Icon } from '../design/icons.tsx';
import { Page } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { StatusBadge } from '../design/status-badge.tsx';
import { Time } from '../design/time.tsx';
import { SendFirst } from '../session/send-first.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { type Filters, withoutAbsent } from './filters.ts';
import styles from './messages.module.css';
import { SearchBar } from './search-bar.tsx';
import { callingCodeOf, parametersOf } from './search-parameters.ts';
import { useMessagesWords } from './texts.ts';

const route = getRouteApi('/messages');

export function LogPage() {
  const words = useMessagesWords();
  const session = useSession();
  const filters: Filters = route.useSearch();
  const navigate = useNavigate({ from: '/messages' });
  const parameters = useMemo(
    () => parametersOf(filters, callingCodeOf(navigator.languages, session.company.language)),
    [filters, session.company.language],
  );
  const change = (changes: { readonly [Name in keyof Filters]: Filters[Name] | undefined }) =>
    void navigate({ search: (before) => withoutAbsent({ ...before, ...changes }), replace: true });
  const isFiltered = Object.keys(parameters).length > 0;
  const csv = `${pathPrefix}/api/v1/messages.csv${queryOf(parameters)}`;
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <a href={csv} download className={buttonLook('plain')} aria-label={words.csvLabel}>
          <Icon name="download" size={16} />
          {words.csv}
        </a>
      }
    >
      <SearchBar filters={filters} change={change} />
      <Found
        parameters={parameters}
        isFiltered={isFiltered}
        showsUsers={hasOneOf(session, ['companyAdmin'])}
      />
    </Page>
  );
}

function Found({
  parameters,
  isFiltered,
  showsUsers,
}: {
  readonly parameters: ReturnType<typeof parametersOf>;
  readonly isFiltered: boolean;
  readonly showsUsers: boolean;
}) {
  const words = useMessagesWords();
  const list = useList('/api/v1/messages', 'messages', parameters, { live: ['messages', 'batches'] });
  return (
    <CursorList
      label={words.title}
      list={list}
      keyOf={({ id }) => id}
      empty={<NoMessages isFiltered={isFiltered} />}
      columns={[
        {
          title: words.to,
          width: 'minmax(0, 2.5fr)',
          place: 'main',
          cell: ({ id, to, name }) => (
            <RowLink to="/messages/$id" params={{ id }}>
              <span className={styles.to}>
                {name !== undefined && <bdi className={styles.name}>{name}</bdi>}
                <PhoneNumber number={to} />
              </span>
            </RowLink>
          ),
        },
        {
          title: words.status,
          width: '11.5rem',
          place: 'aside',
          cell: ({ status, simulated }) => <StatusBadge status={status} simulated={simulated} />,
        },
        { title: words.from, width: 'minmax(0, 1.3fr)', cell: ({ from }) => <PhoneNumber number={from} /> },
        ...(showsUsers
          ? [{ title: words.by, cell: ({ username }: { readonly username: string }) => username }]
          : []),
        {
          title: words.accepted,
          width: '9rem',
          place: 'below',
          cell: ({ accepted }) => <Time at={accepted} />,
        },
      ]}
    />
  );
}

function NoMessages({ isFiltered }: { readonly isFiltered: boolean }) {
  const words = useMessagesWords();
  if (isFiltered)
    return (
      <EmptyState icon="search" title={words.noneFound}>
        {words.noneFoundText}
      </EmptyState>
    );
  return (
    <EmptyState icon="messages" title={words.none} action={<SendFirst />}>
      {words.noneText}
    </EmptyState>
  );
}
