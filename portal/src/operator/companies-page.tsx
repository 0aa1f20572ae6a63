/** All companies of the service, each with what it has used and sent. */
import type { AnswerOf } from '../api/endpoints.ts';
import { useList } from '../api/queries.ts';
import { RowLink } from '../design/cursor-list.tsx';
import { ResourcePage } from '../design/resource-page.tsx';
import { Badge } from '../design/status-badge.tsx';
import { useNumbers } from '../words/words.ts';
import { useOperatorWords } from './texts.ts';

type Company = AnswerOf<'GET', '/api/v1/operator/companies'>['companies'][number];

/** The server counts up to this many. */
const mostCounted = 1_000;

/** `1,000+` for a count that the server has not brought to its end. */
export function useCounted() {
  const written = useNumbers();
  return (count: number) => (count > mostCounted ? `${written(mostCounted)}+` : written(count));
}

export function useQuota() {
  const words = useOperatorWords();
  const written = useNumbers();
  return ({ quotaUsed, quotaParts }: Pick<Company, 'quotaUsed' | 'quotaParts'>) =>
    quotaParts === undefined ? written(quotaUsed) : words.quotaOf(written(quotaUsed), written(quotaParts));
}

export function CompanyState({ active }: Pick<Company, 'active'>) {
  const words = useOperatorWords();
  return <Badge tone={active ? 'delivered' : 'cancelled'}>{active ? words.active : words.closed}</Badge>;
}

export function CompaniesPage() {
  const words = useOperatorWords();
  const [counted, quota] = [useCounted(), useQuota()];
  return (
    <ResourcePage
      title={words.companies}
      list={useList('/api/v1/operator/companies', 'companies', {}, { live: ['companies'] })}
      keyOf={({ id }) => id}
      none={{ icon: 'people', title: words.noCompanies, text: words.noCompaniesText }}
      columns={[
        {
          title: words.company,
          place: 'main',
          cell: ({ id, name }) => (
            <RowLink to="/operator/companies/$id" params={{ id }}>
              <bdi>{name}</bdi>
            </RowLink>
          ),
        },
        { title: words.users, width: '6rem', cell: ({ users }) => counted(users) },
        {
          title: words.sentToday,
          width: '10rem',
          place: 'below',
          isNamed: true,
          cell: ({ sentToday }) => counted(sentToday),
        },
        { title: words.quota, width: '12rem', place: 'below', isNamed: true, cell: quota },
        {
          title: words.state,
          width: '7rem',
          place: 'aside',
          cell: ({ active }) => <CompanyState active={active} />,
        },
      ]}
    />
  );
}
