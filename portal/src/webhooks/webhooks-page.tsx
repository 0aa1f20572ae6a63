/** The webhooks that the user may see, each with how it does. */
import type { AnswerOf } from '../api/endpoints.ts';
import { useList } from '../api/queries.ts';
import { Bar } from '../design/bar.tsx';
import { ButtonLink } from '../design/button.tsx';
import { RowLink } from '../design/cursor-list.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { ResourcePage } from '../design/resource-page.tsx';
import { Badge, type Tone } from '../design/status-badge.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { useNumbers } from '../words/words.ts';
import { useWebhookWords } from './texts.ts';
import styles from './webhooks.module.css';

type Listed = AnswerOf<'GET', '/api/v1/webhooks'>['webhooks'][number];

/** Administrators see those of the whole company. */
export function useWebhookPath() {
  return hasOneOf(useSession(), ['companyAdmin']) ? '/admin/webhooks' : '/webhooks';
}

export function WebhooksPage() {
  const words = useWebhookWords();
  const path = useWebhookPath();
  const written = useNumbers();
  return (
    <ResourcePage
      title={words.title}
      lead={words.lead}
      make={
        <ButtonLink to={`${path}/new`} look="main" icon={<Icon name="plus" />}>
          {words.make}
        </ButtonLink>
      }
      list={useList('/api/v1/webhooks', 'webhooks', {}, { live: ['webhooks'] })}
      keyOf={({ id }) => id}
      none={{ icon: 'out', title: words.none, text: words.noneText }}
      columns={[
        {
          title: words.name,
          place: 'main',
          cell: ({ id, name, kind }) => (
            <RowLink to={`${path}/$id`} params={{ id }}>
              <bdi>{name}</bdi>
              {kind !== 'webhook' && <span className={layout.soft}> · {words[kind]}</span>}
            </RowLink>
          ),
        },
        {
          title: words.host,
          place: 'below',
          cell: ({ url }) => <span className={layout.clip}>{new URL(url).host}</span>,
        },
        {
          title: words.events,
          cell: ({ events }) => (
            <span className={layout.clip}>{events.map((type) => words.eventWords[type]).join(', ')}</span>
          ),
        },
        {
          title: words.state,
          width: '9.5rem',
          place: 'aside',
          cell: ({ state, disabledWhy }) => <State state={state} disabledWhy={disabledWhy} />,
        },
        { title: words.waiting, width: '5rem', cell: ({ backlog }) => written(backlog) },
        {
          title: words.lastDay,
          width: '11rem',
          place: 'below',
          cell: ({ lastDay }) => <LastDay lastDay={lastDay} />,
        },
      ]}
    />
  );
}

interface StateProps {
  readonly state: Listed['state'];
  readonly disabledWhy: Listed['disabledWhy'] | undefined;
}

/** Switched off by somebody is no fault of the receiver. */
export function State({ state, disabledWhy }: StateProps) {
  const words = useWebhookWords();
  const isFault = state === 'failing' || disabledWhy === 'gone' || disabledWhy === 'failures';
  const tone: Tone = isFault ? 'failed' : state === 'works' ? 'delivered' : 'cancelled';
  return <Badge tone={tone}>{words.states[state]}</Badge>;
}

export function LastDay({ lastDay: { ok, failed } }: Pick<Listed, 'lastDay'>) {
  const words = useWebhookWords();
  return (
    <span className={`${styles.day} ${layout.soft}`}>
      {ok + failed > 0 && (
        <Bar
          aria-hidden="true"
          parts={[
            ['delivered', ok],
            ['failed', failed],
          ]}
        />
      )}
      {words.outcomes(ok, failed)}
    </span>
  );
}
