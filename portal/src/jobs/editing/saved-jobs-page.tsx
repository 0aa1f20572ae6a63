/** The saved jobs of the company, of all owners or of one. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useList, useRead } from '../../api/queries.ts';
import { ButtonLink } from '../../design/button.tsx';
import { RowLink } from '../../design/cursor-list.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { SelectField } from '../../design/field.tsx';
import { Icon } from '../../design/icons.tsx';
import layout from '../../design/layout.module.css';
import { ManagedMark } from '../../design/managed-mark.tsx';
import { Page } from '../../design/page.tsx';
import { PartLinks } from '../../design/part-links.tsx';
import { ResourcePage } from '../../design/resource-page.tsx';
import { hasOneOf, useSession } from '../../session/session.ts';
import { useSavedJobWords } from './texts.ts';

export function SavedJobsPage() {
  const words = useSavedJobWords();
  if (hasOneOf(useSession(), ['companyAdmin'])) return <Listed />;
  return (
    <Page title={words.title}>
      <EmptyState icon="alarm">{words.noRight}</EmptyState>
    </Page>
  );
}

/** Those who may own jobs. */
export function useOwners() {
  const { data, error } = useRead('/api/v1/systemusers', { limit: 200 });
  return { owners: data?.systemUsers.map(({ name }) => name), error };
}

/** The lists that belong together. */
export function Parts() {
  const words = useSavedJobWords();
  return (
    <PartLinks
      label={words.title}
      tabs={[
        ['/admin/saved-jobs', words.title],
        ['/admin/saved-jobs/types', words.types],
        ['/admin/saved-jobs/owners', words.owners],
      ]}
    />
  );
}

function Listed() {
  const words = useSavedJobWords();
  const { owner } = useSearch({ from: '/admin/saved-jobs' });
  const navigate = useNavigate();
  const { owners = [] } = useOwners();
  return (
    <ResourcePage
      title={words.title}
      lead={words.lead}
      make={
        <ButtonLink to="/admin/saved-jobs/new" look="main" icon={<Icon name="plus" />}>
          {words.make}
        </ButtonLink>
      }
      above={
        <>
          <Parts />
          {owners.length > 1 && (
            <SelectField
              label={words.owner}
              value={owner ?? ''}
              onChange={({ target }) =>
                void navigate({
                  to: '/admin/saved-jobs',
                  search: target.value === '' ? {} : { owner: target.value },
                  replace: true,
                })
              }
            >
              <option value="">{words.everyOwner}</option>
              {owners.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </SelectField>
          )}
        </>
      }
      list={useList('/api/v1/savedjobs', 'jobs', { owner }, { live: ['savedjobs'] })}
      keyOf={({ id }) => id}
      none={{ icon: 'alarm', title: words.none, text: words.noneText }}
      columns={[
        {
          title: words.name,
          place: 'main',
          cell: ({ id, name }) => (
            <RowLink to="/admin/saved-jobs/$id" params={{ id }}>
              <bdi className={layout.wraps}>{name}</bdi>
            </RowLink>
          ),
        },
        { title: words.type, place: 'below', cell: ({ type }) => <bdi>{type}</bdi> },
        { title: words.owner, place: 'below', cell: (job) => <bdi>{job.owner}</bdi> },
        {
          title: '',
          place: 'aside',
          width: '11rem',
          cell: ({ managed }) => managed && <ManagedMark name="savedJobs" />,
        },
      ]}
    />
  );
}
