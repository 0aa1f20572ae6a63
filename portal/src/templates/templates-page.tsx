/** The saved texts of the company. */
import { useList } from '../api/queries.ts';
import { ButtonLink } from '../design/button.tsx';
import { RowLink } from '../design/cursor-list.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { ResourcePage } from '../design/resource-page.tsx';
import { Time } from '../design/time.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { useTemplateWords } from './texts.ts';

export function TemplatesPage() {
  const words = useTemplateWords();
  const mayChange = hasOneOf(useSession(), ['companyAdmin']);
  return (
    <ResourcePage
      title={words.title}
      lead={words.lead}
      make={
        mayChange && (
          <ButtonLink to="/templates/new" look="main" icon={<Icon name="plus" />}>
            {words.make}
          </ButtonLink>
        )
      }
      list={useList('/api/v1/templates', 'templates', {}, { live: ['templates'] })}
      keyOf={({ id }) => id}
      none={{ icon: 'templates', title: words.none, text: words.noneText }}
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
          cell: ({ beginning }) => <span className={layout.clip}>{beginning}</span>,
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
  );
}
