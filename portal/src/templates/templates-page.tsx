/** The saved texts of the company. */
import { useList } from '../api/queries.ts';
import { ButtonLink } from '../design/button.tsx';
import { CursorList, RowLink } from '../design/cursor-list.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { Page } from '../design/page.tsx';
import { Time } from '../design/time.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import styles from './templates.module.css';
import { useTemplateWords } from './texts.ts';

export function TemplatesPage() {
  const words = useTemplateWords();
  const mayChange = hasOneOf(useSession(), ['companyAdmin']);
  const list = useList('/api/v1/templates', 'templates', {});
  const make = mayChange && (
    <ButtonLink to="/templates/new" look="main" icon={<Icon name="plus" />}>
      {words.make}
    </ButtonLink>
  );
  return (
    <Page title={words.title} lead={words.lead} actions={list.items.length > 0 && make}>
      <CursorList
        label={words.title}
        list={list}
        keyOf={({ id }) => id}
        empty={
          <EmptyState icon="templates" title={words.none} action={make}>
            {words.noneText}
          </EmptyState>
        }
        columns={[
          {
            title: words.name,
            place: 'main',
            cell: ({ id, name, managed }) => (
              <RowLink to="/templates/$id" params={{ id }}>
                {name}
                {managed && <span className={layout.soft}> · {words.managed}</span>}
              </RowLink>
            ),
          },
          {
            title: words.begins,
            place: 'below',
            width: 'minmax(0, 2fr)',
            cell: ({ beginning }) => <span className={styles.beginning}>{beginning}</span>,
          },
          {
            title: words.changed,
            place: 'aside',
            width: '8rem',
            cell: ({ changed, version }) =>
              changed === undefined ? words.version(version) : <Time at={changed} />,
          },
        ]}
      />
    </Page>
  );
}
