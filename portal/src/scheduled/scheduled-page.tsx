/** The scheduled messages, as a list or as the calendar of a month. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useList } from '../api/queries.ts';
import { CursorList, RowLink } from '../design/cursor-list.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Choice } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { Page } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { Time } from '../design/time.tsx';
import { useWhom } from '../design/whom.ts';
import { now } from '../words/times.ts';
import { useNumbers } from '../words/words.ts';
import { CancelAllButton, CancelButton, ChangeTimeButton, type Scheduled, useTitle } from './acts.tsx';
import { Calendar, monthName, monthOf, pageOf } from './calendar.tsx';
import styles from './scheduled.module.css';
import { useScheduledWords } from './texts.ts';

/** The search parameters in the URL. */
export interface ScheduledView {
  /** The month of the calendar, such as `2027-01`; absent for the list. */
  readonly month?: string;
}

const route = getRouteApi('/scheduled');

export function ScheduledPage() {
  const words = useScheduledWords();
  const { month }: ScheduledView = route.useSearch();
  const navigate = useNavigate({ from: '/scheduled' });
  const show = (next: ScheduledView) => void navigate({ search: () => next, replace: true });
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <Choice
          hideLabel
          label={words.view}
          value={month === undefined ? 'list' : 'month'}
          options={[
            ['list', words.views.list],
            ['month', words.views.month],
          ]}
          onChange={(view) => show(view === 'list' ? {} : { month: monthName(monthOf(now())) })}
        />
      }
    >
      {month === undefined ? <List /> : <Calendar month={month} show={(next) => show({ month: next })} />}
    </Page>
  );
}

function List() {
  const words = useScheduledWords();
  const whomOf = useWhom();
  const number = useNumbers();
  const list = useList('/api/v1/scheduled', 'scheduled', {}, { live: ['messages', 'batches'] });
  return (
    <CursorList
      label={words.title}
      list={list}
      keyOf={({ kind, id }) => `${kind} ${id}`}
      empty={
        <EmptyState icon="scheduled" title={words.none}>
          {words.noneText}
        </EmptyState>
      }
      columns={[
        {
          title: words.when,
          width: '8.5rem',
          place: 'aside',
          cell: ({ scheduleTime }) => <Time at={scheduleTime} />,
        },
        {
          title: words.what,
          width: 'minmax(0, 2fr)',
          place: 'main',
          cell: (item) => <What item={item} />,
        },
        {
          title: words.whom,
          width: 'minmax(9.5rem, 1fr)',
          place: 'below',
          cell: ({ to, recipientName, whom }) =>
            to === undefined ? whomOf(whom) : recipientName !== undefined && <PhoneNumber number={to} />,
        },
        {
          title: words.count,
          width: '4rem',
          cell: ({ kind, messages }) => messages !== undefined && kind !== 'run' && number(messages),
        },
        { title: words.by, width: 'minmax(0, 6rem)', cell: ({ username }) => username },
        {
          title: words.act,
          width: '11.5rem',
          place: 'below',
          cell: (item) =>
            (item.kind === 'message' || item.kind === 'sending') && (
              <span className={`${styles.acts} ${layout.row}`}>
                <ChangeTimeButton item={item} />
                {item.kind === 'message' ? <CancelButton item={item} /> : <CancelAllButton item={item} />}
              </span>
            ),
        },
      ]}
    />
  );
}

function What({ item }: { readonly item: Scheduled }) {
  const title = useTitle()(item);
  const { kind, id } = item;
  if (kind === 'run') return <bdi>{title}</bdi>;
  return (
    <RowLink to={pageOf[kind]} params={{ id }}>
      <bdi>{title}</bdi>
    </RowLink>
  );
}
