/** The message log: one search field, chips for state and period, and rows that arrive live. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { fileAddress } from '../api/client.ts';
import { useList } from '../api/queries.ts';
import { Button, ButtonLink } from '../design/button.tsx';
import { RowLink } from '../design/cursor-list.tsx';
import { DownloadLink } from '../design/download-link.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import layout from '../design/layout.module.css';
import { Page } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { SelectableList } from '../design/selectable-list.tsx';
import { StatusBadge } from '../design/status-badge.tsx';
import { Time } from '../design/time.tsx';
import { SendFirst } from '../session/send-first.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { language } from '../words/language.ts';
import { groupedNumber } from '../words/numbers.ts';
import { useActs } from './acts-of-several.ts';
import { type Filters, withoutAbsent } from './filters.ts';
import { SearchBar, type SearchBarProps } from './search-bar.tsx';
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
  const list = useList('/api/v1/messages', 'messages', parameters, { live: ['messages', 'batches'] });
  const searched = filters.q === undefined ? undefined : list.first?.searched;
  const number = searched?.as === 'number' ? searched.value : undefined;
  const looked = number === undefined ? (filters.q?.trim() ?? '') : groupedNumber(number);
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <DownloadLink
          href={fileAddress('/api/v1/messages.csv', { ...parameters, language })}
          label={words.csvLabel}
        >
          {words.csv}
        </DownloadLink>
      }
    >
      <div className={layout.above}>
        <SearchBar filters={filters} change={change} callingCode={callingCode} searched={searched} />
      </div>
      <SelectableList
        label={words.title}
        list={list}
        keyOf={({ id }) => id}
        nameOf={({ to, name }) => name ?? groupedNumber(to)}
        acts={useActs()}
        empty={
          isFiltered ? (
            <EmptyState
              icon="search"
              title={looked === '' ? words.noneFound : words.noneFor(looked)}
              action={<NextStep to={number} filters={filters} change={change} />}
            >
              {isNarrow(filters)
                ? words.noneNarrow
                : number === undefined
                  ? words.noneFoundText
                  : words.noneNumber}
            </EmptyState>
          ) : (
            <EmptyState icon="messages" title={words.none} action={<SendFirst />}>
              {words.noneText}
            </EmptyState>
          )
        }
        columns={[
          {
            title: words.to,
            width: 'minmax(0, 2.5fr)',
            place: 'main',
            cell: ({ id, to, name }) => (
              <RowLink to="/messages/$id" params={{ id }}>
                <span className={layout.row}>
                  {name !== undefined && <bdi>{name}</bdi>}
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
    </Page>
  );
}

/** Whether there may be more where the search did not look. */
function isNarrow({ state, period, batchId, username }: Filters): boolean {
  return [state, period, batchId, username].some((one) => one !== undefined);
}

/** What to do when nothing was found. */
function NextStep({ to, filters, change }: SearchBarProps & { readonly to: string | undefined }) {
  const words = useMessagesWords();
  const maySend = hasOneOf(useSession(), ['send']);
  const days = { period: undefined, from: undefined, to: undefined };
  const everything = { ...days, state: undefined, batchId: undefined, username: undefined };
  if (isNarrow(filters)) return <Button onClick={() => change(everything)}>{words.searchAll}</Button>;
  if (to === undefined || !maySend) return null;
  return (
    <ButtonLink to="/send" search={{ to }}>
      {words.sendTo}
    </ButtonLink>
  );
}
