/** What was sent to several people at once, the latest first: how much was delivered, and who answered. */
import type { AnswerOf } from '../api/endpoints.ts';
import { useList } from '../api/queries.ts';
import { RowLink } from '../design/cursor-list.tsx';
import layout from '../design/layout.module.css';
import { ResourcePage } from '../design/resource-page.tsx';
import { Time } from '../design/time.tsx';
import { useWhom } from '../design/whom.ts';
import { SendFirst } from '../session/send-first.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { useNumbers } from '../words/words.ts';
import { useSendingsWords } from './texts.ts';

type Sending = AnswerOf<'GET', '/api/v1/sendings'>['sendings'][number];

export function SendingsPage() {
  const words = useSendingsWords();
  const whom = useWhom();
  const session = useSession();
  return (
    <ResourcePage
      title={words.title}
      lead={words.lead}
      label={words.all}
      make={<SendFirst />}
      actions={false}
      list={useList('/api/v1/sendings', 'sendings', {}, { live: ['messages', 'incoming', 'conversations'] })}
      keyOf={({ id }) => id}
      none={{ icon: 'reply', title: words.none, text: words.noneText }}
      columns={[
        {
          title: words.what,
          width: 'minmax(0, 3fr)',
          place: 'main',
          cell: (one) => (
            <RowLink to="/sendings/$id" params={{ id: one.id }}>
              {one.title ?? whom(one.whom)}
            </RowLink>
          ),
        },
        { title: words.whom, width: 'minmax(0, 2fr)', cell: (one) => whom(one.whom) },
        {
          title: words.progress,
          width: 'minmax(0, 3fr)',
          place: 'below',
          cell: (one) => <Progress sending={one} />,
        },
        ...(hasOneOf(session, ['companyAdmin'])
          ? [{ title: words.by, cell: ({ username }: Sending) => username }]
          : []),
        {
          title: words.when,
          width: '8rem',
          place: 'aside',
          cell: ({ accepted, scheduledFor }) => <Time at={scheduledFor ?? accepted} />,
        },
      ]}
    />
  );
}

/** How much of it is in which state, and who answered. */
function Progress({ sending: { answers, totals, messages } }: { readonly sending: Sending }) {
  const words = useSendingsWords();
  const number = useNumbers();
  const states = stateNames.map((name) => [totals[name], words.inList[name]] as const);
  const wasAsked = totals.scheduled + totals.canceled + totals.removed < messages;
  const said = answers !== undefined && wasAsked ? meaningNames : [];
  const figures = [...states, ...said.map((name) => [answers?.[name] ?? 0, words.meanings[name]] as const)];
  return (
    <span className={`${layout.soft} ${layout.wraps}`}>
      {figures
        .filter(([count]) => count > 0)
        .map(([count, name]) => `${number(count)} ${name}`)
        .join(' · ')}
    </span>
  );
}

const stateNames = ['scheduled', 'underWay', 'delivered', 'failed', 'canceled'] as const;
const meaningNames = ['yes', 'no', 'other', 'silent'] as const;
