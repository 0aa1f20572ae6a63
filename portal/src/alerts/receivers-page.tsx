/** The receivers of the company: which program posts to each, and what happens then. */
import { useList, useRead } from '../api/queries.ts';
import { ButtonLink } from '../design/button.tsx';
import { RowLink } from '../design/cursor-list.tsx';
import { Icon } from '../design/icons.tsx';
import { ResourcePage } from '../design/resource-page.tsx';
import { type Receiver, receiversPath } from './receiver.ts';
import { useReceiverWords } from './texts.ts';

/** The saved jobs of the company, by id. */
export function useSavedJobs() {
  const { data } = useRead('/api/v1/savedjobs', { limit: 200 }, { live: ['savedjobs'] });
  return new Map((data?.jobs ?? []).map((job) => [job.id, job]));
}

export function ReceiversPage() {
  const words = useReceiverWords();
  const jobs = useSavedJobs();
  const actionOf = ({ start, send }: Receiver) => {
    if (start !== undefined) return jobs.get(start)?.name ?? words.job(start);
    const { numbers = [], groups = [], tagFilter } = send ?? {};
    const others = groups.length + (tagFilter === undefined ? 0 : 1);
    return [
      ...(numbers.length > 0 ? [words.numbersOf(numbers.length)] : []),
      ...(others > 0 ? [words.othersOf(others)] : []),
    ].join(', ');
  };
  return (
    <ResourcePage
      title={words.title}
      lead={words.lead}
      make={
        <ButtonLink to="/admin/alert-receivers/new" look="main" icon={<Icon name="plus" />}>
          {words.make}
        </ButtonLink>
      }
      list={useList(receiversPath, 'receivers', {}, { live: ['alertreceivers'] })}
      keyOf={({ name }) => name}
      none={{ icon: 'alert', title: words.none, text: words.noneText }}
      columns={[
        {
          title: words.name,
          place: 'main',
          cell: ({ name }) => (
            <RowLink to="/admin/alert-receivers/$name" params={{ name }}>
              <bdi>{name}</bdi>
            </RowLink>
          ),
        },
        { title: words.source, place: 'below', cell: ({ source }) => words.sources[source] },
        { title: words.action, place: 'below', width: 'minmax(0, 1.5fr)', cell: actionOf },
        { title: words.user, place: 'aside', cell: ({ user }) => <bdi>{user}</bdi> },
        { title: words.acknowledge, cell: ({ acknowledge }) => acknowledge && new URL(acknowledge.url).host },
      ]}
    />
  );
}
