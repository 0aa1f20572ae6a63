/** One sending: its text, how far it has come, who answered what, and what can be done about all of it. */
import { getRouteApi, Link } from '@tanstack/react-router';
import type { AnswerOf } from '../api/endpoints.ts';
import { useAct, useList, useRead } from '../api/queries.ts';
import { Answered } from '../design/answered.tsx';
import { BackLink, ButtonLink } from '../design/button.tsx';
import { ChangeTimeDialog } from '../design/change-time.tsx';
import { ConfirmButton, DialogButton } from '../design/confirm-dialog.tsx';
import { CursorList, RowLink } from '../design/cursor-list.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import layout from '../design/layout.module.css';
import { Card, Page, Section } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { Badge, StatusBadge, type Tone } from '../design/status-badge.tsx';
import { Time } from '../design/time.tsx';
import { showToast } from '../design/toasts.tsx';
import { useWhom } from '../design/whom.ts';
import { hasOneOf, useSession } from '../session/session.ts';
import { groupedNumber } from '../words/numbers.ts';
import { now, shortTime } from '../words/times.ts';
import { useNumbers } from '../words/words.ts';
import styles from './sendings.module.css';
import { useSendingsWords } from './texts.ts';

type Sending = AnswerOf<'GET', '/api/v1/sendings/{id}'>;
type Person = AnswerOf<'GET', '/api/v1/sendings/{id}/people'>['people'][number];

/** The search parameters in the URL: the figures that were pressed. */
export interface PeopleFilter {
  readonly state?: Person['state'];
  readonly meaning?: Person['meaning'];
}

const route = getRouteApi('/sendings/$id');
const live = ['messages', 'incoming', 'conversations'];

export function SendingPage() {
  const words = useSendingsWords();
  const whom = useWhom();
  const { id } = route.useParams();
  const read = useRead('/api/v1/sendings/{id}', { id }, { live, keepsPrevious: true });
  const sending = read.data;
  return (
    <Page
      title={sending?.title || whom(sending?.whom) || words.title}
      lead={sending && <About sending={sending} />}
      back={<BackLink to="/sendings">{words.back}</BackLink>}
      actions={sending && <Acts sending={sending} />}
    >
      <Answered read={read} rows={4}>
        {(answer) => <Shown sending={answer} />}
      </Answered>
    </Page>
  );
}

function About({ sending }: { readonly sending: Sending }) {
  const words = useSendingsWords();
  const whom = useWhom();
  const { accepted, scheduledFor, username, from, parts } = sending;
  const isLater = scheduledFor !== undefined && new Date(scheduledFor) > now();
  const facts = [
    whom(sending.whom),
    words.sentBy(username),
    from === undefined ? words.fromPool : words.from(groupedNumber(from)),
    words.parts(parts),
  ];
  return (
    <>
      {isLater ? (
        words.scheduledFor(shortTime(new Date(scheduledFor)))
      ) : (
        <Time at={scheduledFor ?? accepted} />
      )}
      {` · ${facts.join(' · ')}`}
    </>
  );
}

function Acts({ sending }: { readonly sending: Sending }) {
  const words = useSendingsWords();
  const session = useSession();
  const cancel = useAct('/api/v1/sendings/{id}/cancel');
  const { id, totals, answers, scheduledFor } = sending;
  const waits = totals.scheduled > 0;
  const mayAct = hasOneOf(session, ['send', 'companyAdmin']);
  const label = waits ? words.cancelAll : words.cancelRest;
  return (
    <>
      {mayAct && totals.scheduled + totals.underWay > 0 && (
        <ConfirmButton
          label={label}
          title={words.cancelTitle}
          cancel={words.keep}
          question={words.cancelText}
          act={cancel}
          parameters={{ id }}
          done={(after) => void showToast({ text: words.canceled(after.totals.canceled) })}
        />
      )}
      {mayAct && waits && scheduledFor !== undefined && <ChangeTime id={id} scheduleTime={scheduledFor} />}
      {answers !== undefined && answers.silent > 0 && !waits && hasOneOf(session, ['send']) && (
        <ButtonLink look="main" to="/send" search={{ silentOf: id }}>
          {words.writeToSilent}
        </ButtonLink>
      )}
    </>
  );
}

const reschedulePath = '/api/v1/sendings/{id}/reschedule';

function ChangeTime({ id, scheduleTime }: { readonly id: string; readonly scheduleTime: string }) {
  const words = useSendingsWords();
  const act = useAct(reschedulePath);
  const save = (close: () => void) => (to: string) =>
    act.mutate(
      { parameters: { id, scheduleTime: to } },
      {
        onSuccess: () => {
          close();
          showToast({ text: words.timeChanged });
        },
      },
    );
  return (
    <DialogButton label={words.changeTime}>
      {(close) => (
        <ChangeTimeDialog
          scheduleTime={scheduleTime}
          act={act}
          save={save(close)}
          callOf={(to) => ({ method: 'POST', path: reschedulePath, parameters: { id, scheduleTime: to } })}
          close={close}
        />
      )}
    </DialogButton>
  );
}

const states = [
  ['delivered', 'delivered'],
  ['underWay', 'moving'],
  ['scheduled', 'waiting'],
  ['failed', 'failed'],
  ['canceled', 'cancelled'],
] as const satisfies readonly (readonly [Person['state'], Tone])[];

const meanings = [
  ['yes', 'delivered'],
  ['no', 'cancelled'],
  ['other', 'answered'],
  ['silent', undefined],
] as const satisfies readonly (readonly [Person['meaning'], Tone | undefined])[];

function Shown({ sending }: { readonly sending: Sending }) {
  const words = useSendingsWords();
  const { id, message, totals, answers } = sending;
  const { state, meaning }: PeopleFilter = route.useSearch();
  const wasAsked = totals.scheduled + totals.canceled + totals.removed < sending.messages;
  return (
    <div className={`${layout.stack} ${layout.loose}`}>
      <p className={layout.sms} dir="auto">
        {message}
      </p>
      <Card className={layout.stack}>
        <Figures label={words.delivery}>
          {states.map(
            ([name, tone]) =>
              (totals[name] > 0 || name === 'delivered') && (
                <Figure
                  key={name}
                  id={id}
                  count={totals[name]}
                  name={words.states[name]}
                  tone={tone}
                  isOn={state === name}
                  filter={{ ...(meaning && { meaning }), ...(state !== name && { state: name }) }}
                />
              ),
          )}
        </Figures>
        {answers !== undefined && wasAsked && (
          <Figures label={words.answers}>
            {meanings.map(([name, tone]) => (
              <Figure
                key={name}
                id={id}
                count={answers[name]}
                name={words.meanings[name]}
                tone={tone}
                isOn={meaning === name}
                filter={{ ...(state && { state }), ...(meaning !== name && { meaning: name }) }}
              />
            ))}
          </Figures>
        )}
        {totals.removed > 0 && <p className={layout.soft}>{words.removed(totals.removed)}</p>}
      </Card>
      <People id={id} state={state} meaning={meaning} canAnswer={answers !== undefined && wasAsked} />
    </div>
  );
}

function Figures({ label, children }: { readonly label: string; readonly children: React.ReactNode }) {
  return (
    <nav className={`${styles.figures} ${layout.grid}`} aria-label={label}>
      {children}
    </nav>
  );
}

interface FigureProps {
  readonly id: string;
  readonly count: number;
  readonly name: string;
  readonly tone: Tone | undefined;
  readonly isOn: boolean;
  /** The filter that pressing the figure leads to: pressed again, a figure filters no more. */
  readonly filter: PeopleFilter;
}

function Figure({ id, count, name, tone, isOn, filter }: FigureProps) {
  const number = useNumbers();
  return (
    <Link
      to="/sendings/$id"
      params={{ id }}
      search={filter}
      replace
      resetScroll={false}
      className={`${styles.figure} ${layout.bare}`}
      data-tone={count > 0 ? tone : undefined}
      data-on={isOn || undefined}
      aria-current={isOn}
    >
      <strong className={layout.figure}>{number(count)}</strong> {name}
    </Link>
  );
}

interface PeopleProps {
  readonly id: string;
  readonly state: Person['state'] | undefined;
  readonly meaning: Person['meaning'] | undefined;
  readonly canAnswer: boolean;
}

function People({ id, state, meaning, canAnswer }: PeopleProps) {
  const words = useSendingsWords();
  const list = useList('/api/v1/sendings/{id}/people', 'people', { id, state, meaning }, { live });
  const isFiltered = state !== undefined || meaning !== undefined;
  return (
    <Section
      title={words.list}
      actions={
        isFiltered && (
          <Link to="/sendings/$id" params={{ id }} search={{}} replace resetScroll={false}>
            {words.everybody}
          </Link>
        )
      }
    >
      <CursorList
        label={words.list}
        list={list}
        keyOf={(person) => person.id}
        empty={
          <EmptyState icon="people" title={words.nobody}>
            {words.nobodyText}
          </EmptyState>
        }
        columns={[
          {
            title: words.name,
            width: 'minmax(0, 2fr)',
            place: 'main',
            cell: ({ id: message, to, name }) => (
              <RowLink to="/messages/$id" params={{ id: message }}>
                {name ?? <PhoneNumber number={to} />}
              </RowLink>
            ),
          },
          {
            title: words.status,
            width: '10rem',
            place: 'aside',
            cell: ({ status }) => <StatusBadge status={status} />,
          },
          ...(canAnswer
            ? [
                {
                  title: words.answer,
                  width: 'minmax(0, 3fr)',
                  place: 'below' as const,
                  cell: (person: Person) => <Answer person={person} />,
                },
              ]
            : []),
          {
            title: canAnswer ? words.when : words.changed,
            width: '8rem',
            cell: ({ answered, changed }) =>
              canAnswer ? answered !== undefined && <Time at={answered} /> : <Time at={changed} />,
          },
        ]}
      />
    </Section>
  );
}

function Answer({ person }: { readonly person: Person }) {
  const words = useSendingsWords();
  const { meaning, answer, answers, to } = person;
  if (meaning === 'silent') return <span className={layout.soft}>{words.meanings.silent}</span>;
  const tone = meanings.find(([name]) => name === meaning)?.[1];
  return (
    <span className={layout.wraps}>
      {tone !== undefined && <Badge tone={tone}>{words.meanings[meaning]}</Badge>} <bdi>{answer}</bdi>{' '}
      {answers > 1 && (
        <Link to="/conversations" search={{ search: to }}>
          {words.more(answers - 1)}
        </Link>
      )}
    </span>
  );
}
