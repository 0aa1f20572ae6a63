/** The message log: one search field, chips for state and period, and rows that arrive live. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { queryOf } from '../../../src/wire/api-path.ts';
import { pathPrefix } from '../api/client.ts';
import { useList } from '../api/queries.ts';
import { RowLink } from '../design/cursor-list.tsx';
import { DownloadLink } from '../design/download-link.tsx';
import layout from '../design/layout.module.css';
import { PhoneNumber } from '../design/phone-number.tsx';
import { ResourcePage } from '../design/resource-page.tsx';
import { StatusBadge } from '../design/status-badge.tsx';
import { Time } from '../design/time.tsx';
import { SendFirst } from '../session/send-first.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { type Filters, withoutAbsent } from './filters.ts';
import { SearchBar } from './search-bar.tsx';
import { callingCodeOf, parametersOf } from './search-parameters.ts';
import { useMessagesWords } from './texts.ts';

const route = getRouteApi('/messages');

export function LogPage() {
  const words = useMessagesWords();
  const session = useSession();
  const filters: Filters = route.useSearch();
  const navigate = useNavigate({ from: '/messages' });
  const callingCode = callingCodeOf(navigator.languages, session.company);
  const parameters = useMemo(() => parametersOf(filters, callingCode), [filters, callingCode]);
  const change = (changes: { readonly [Name in keyof Filters]: Filters[Name] | undefined }) =>
    void navigate({ search: (before) => withoutAbsent({ ...before, ...changes }), replace: true });
  const isFiltered = Object.keys(parameters).length > 0;
  const csv = `${pathPrefix}/api/v1/messages.csv${queryOf(parameters)}`;
  return (
    <ResourcePage
      title={words.title}
      lead={words.lead}
      actions={
        <DownloadLink href={csv} label={words.csvLabel}>
          {words.csv}
        </DownloadLink>
      }
      above={<SearchBar filters={filters} change={change} callingCode={callingCode} />}
      make={!isFiltered && <SendFirst />}
      list={useList('/api/v1/messages', 'messages', parameters, { live: ['messages', 'batches'] })}
      keyOf={({ id }) => id}
      none={
        isFiltered
          ? { icon: 'search', title: words.noneFound, text: words.noneFoundText }
          : { icon: 'messages', title: words.none, text: words.noneText }
      }
      columns={[
        {
          title: words.to,
          width: 'minmax(0, 2.5fr)',
          place: 'main',
          cell: ({ id, to, name }) => (
            <RowLink to="/messages/$id" params={{ id }}>
              <span className={layout.row}>
                {name !== undefined && <bdi className={layout.clip}>{name}</bdi>}
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
        ...(hasOneOf(session, ['companyAdmin'])
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
