/** The numbers of all companies: who rents each, or whose pool it is in. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useList } from '../api/queries.ts';
import { useTypedSearch } from '../browser/typed-search.ts';
import { Choice, TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { PhoneNumber } from '../design/phone-number.tsx';
import { ResourcePage } from '../design/resource-page.tsx';
import { Time } from '../design/time.tsx';
import { type NumberFilters, uses } from './filters.ts';
import { useNetworkWords } from './texts.ts';

const page = getRouteApi('/operator/numbers');

export function NumbersPage() {
  const words = useNetworkWords();
  const filters = page.useSearch();
  return (
    <ResourcePage
      title={words.numbers}
      above={<Narrowing filters={filters} />}
      list={useList('/api/v1/operator/numbers', 'numbers', filters, { live: ['numbers'] })}
      keyOf={({ number }) => number}
      none={{ icon: 'phone', title: words.noNumbers, text: words.noNumbersText }}
      columns={[
        {
          title: words.number,
          place: 'main',
          width: '10.5rem',
          cell: ({ number }) => <PhoneNumber number={number} />,
        },
        {
          title: words.use,
          place: 'below',
          cell: ({ use, username, company }) =>
            use === 'rented' ? (
              <bdi>{username}</bdi>
            ) : (
              <span className={layout.soft}>
                {use === 'none' ? words.nobody : company === undefined ? words.everyPool : words.uses.pool}
              </span>
            ),
        },
        { title: words.company, place: 'below', cell: ({ company }) => company && <bdi>{company}</bdi> },
        {
          title: words.leases,
          width: '8rem',
          cell: ({ use, leases }) => use === 'pool' && words.phones(leases),
        },
        {
          title: words.lastUsed,
          place: 'below',
          isNamed: true,
          width: '8rem',
          cell: ({ lastUsed }) =>
            lastUsed === undefined ? (
              <span className={layout.soft}>{words.notLately}</span>
            ) : (
              <Time at={lastUsed} />
            ),
        },
      ]}
    />
  );
}

function Narrowing({ filters }: { readonly filters: NumberFilters }) {
  const words = useNetworkWords();
  const navigate = useNavigate({ from: '/operator/numbers' });
  const change = (changes: Partial<Record<keyof NumberFilters, string>>) =>
    void navigate({ search: (before) => ({ ...before, ...changes }) as NumberFilters, replace: true });
  return (
    <search className={layout.stack}>
      <div className={layout.grid}>
        <Typed name="number" filters={filters} change={change} />
        <Typed name="company" filters={filters} change={change} />
      </div>
      <Choice
        hideLabel
        label={words.use}
        value={filters.use ?? 'all'}
        options={(['all', ...uses] as const).map((use) => [use, words.uses[use]])}
        onChange={(use) => change({ use: use === 'all' ? '' : use })}
      />
    </search>
  );
}

interface TypedProps {
  readonly name: 'number' | 'company';
  readonly filters: NumberFilters;
  readonly change: (changes: Partial<Record<keyof NumberFilters, string>>) => void;
}

function Typed({ name, filters, change }: TypedProps) {
  const words = useNetworkWords();
  const [typed, setTyped] = useTypedSearch(filters[name] ?? '', (text) => change({ [name]: text }));
  return (
    <TextField
      type="search"
      label={words[name]}
      value={typed}
      maxLength={name === 'number' ? 30 : 200}
      autoComplete="off"
      spellCheck={false}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
    />
  );
}
