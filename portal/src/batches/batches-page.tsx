/** All batches, the latest first, with the progress of each. */
import { useList } from '../api/queries.ts';
import { ButtonLink } from '../design/button.tsx';
import { RowLink } from '../design/cursor-list.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { ResourcePage } from '../design/resource-page.tsx';
import { Time } from '../design/time.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { useNumbers } from '../words/words.ts';
import styles from './batches.module.css';
import { ProgressBar, StateBadge } from './progress.tsx';
import { useBatchWords } from './texts.ts';

export function BatchesPage() {
  const words = useBatchWords();
  const number = useNumbers();
  const session = useSession();
  return (
    <ResourcePage
      title={words.title}
      lead={words.lead}
      label={words.all}
      make={
        hasOneOf(session, ['send']) && (
          <ButtonLink look="main" icon={<Icon name="plus" />} to="/batches/new">
            {words.newBatch}
          </ButtonLink>
        )
      }
      list={useList('/api/v1/batches', 'batches', {}, { live: ['batches', 'messages'] })}
      keyOf={({ id }) => id}
      none={{ icon: 'batches', title: words.none, text: words.noneText }}
      columns={[
        {
          title: words.name,
          width: 'minmax(0, 2fr)',
          place: 'main',
          cell: ({ id, name, batchConversation }) => (
            <RowLink to="/batches/$id" params={{ id }}>
              {name || batchConversation || words.nameless(id)}
            </RowLink>
          ),
        },
        {
          title: words.state,
          width: '10rem',
          place: 'aside',
          cell: ({ state }) => <StateBadge state={state} />,
        },
        {
          title: words.progress,
          width: 'minmax(8rem, 2fr)',
          place: 'below',
          cell: ({ totals, messages }) => (
            <div className={`${styles.inRow} ${layout.line}`}>
              <ProgressBar totals={totals} />
              <span>{number(messages)}</span>
            </div>
          ),
        },
        ...(hasOneOf(session, ['companyAdmin'])
          ? [{ title: words.by, cell: ({ username }: { readonly username: string }) => username }]
          : []),
        { title: words.accepted, width: '8rem', cell: ({ accepted }) => <Time at={accepted} /> },
      ]}
    />
  );
}
