/**
 * The people of a run by their answers: those who come, those who wrote something unclear, always above the silent, and the
 * rest.
 */
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useList } from '../api/queries.ts';
import { Button } from '../design/button.tsx';
import { Icon, type IconName } from '../design/icons.tsx';
import { useLaterWords } from '../design/later-texts.ts';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { SkeletonRows } from '../design/skeleton-rows.tsx';
import type { Tone } from '../design/status-badge.tsx';
import { Time } from '../design/time.tsx';
import { groupedNumber } from '../words/numbers.ts';
import styles from './jobs.module.css';
import { AnswerButtons, PersonSheet, shownOf, useDelivery } from './person-sheet.tsx';
import { isRunning, isUnclear, keyOf, nameOf, type Run, type RunPerson, type State } from './run.ts';
import { useTakenIn } from './taken-in.ts';
import { useJobWords } from './texts.ts';

const route = getRouteApi('/runs/$id');

interface GroupsProps {
  readonly run: Run;
  readonly isWall: boolean;
}

/** People per call; further ones are shown on request. */
const most = 100;
const live = { live: ['runs'] };

const listOf = (run: Run, filter: { readonly state?: State; readonly comment?: true }) =>
  ['/api/v1/runs/{id}/people', 'people', { id: Number(run.id), limit: most, ...filter }] as const;

function useUnclear(run: Run) {
  const list = useList(...listOf(run, { comment: true }), live);
  return { ...list, items: list.items.filter(isUnclear) };
}

export function PeopleGroups({ run, isWall }: GroupsProps) {
  const words = useJobWords();
  const { show } = route.useSearch();
  const unclear = useUnclear(run);
  const { yes, no, asked, unreachable, waiting } = run.people;
  const silent = Math.max(0, asked - unclear.items.filter(({ state }) => state === 'asked').length);
  const notReached = Math.max(
    0,
    unreachable - unclear.items.filter(({ state }) => state === 'unreachable').length,
  );
  const isShown = (state: State) => show === undefined || show === state;
  return (
    <>
      <nav className={styles.chips} aria-label={words.filters}>
        <FilterChip state="yes" count={yes} tone="delivered" />
        <FilterChip state="no" count={no} tone="cancelled" />
        <FilterChip state="asked" count={silent} tone="waiting" />
        <FilterChip state="unreachable" count={notReached} tone="failed" />
      </nav>
      {isShown('yes') && <Group run={run} state="yes" count={yes} />}
      <Unclear run={run} list={unclear} isWall={isWall} />
      {isShown('asked') && !isWall && <Group run={run} state="asked" count={silent} />}
      {isShown('unreachable') && <Group run={run} state="unreachable" count={notReached} />}
      {isShown('no') && !isWall && <Group run={run} state="no" count={no} isFolded={show !== 'no'} />}
      {isShown('waiting') && !isWall && (
        <Group run={run} state="waiting" count={waiting} isFolded={show !== 'waiting'} />
      )}
    </>
  );
}

/** A figure that is pressed to see only these people, and pressed again to see all. */
function FilterChip({
  state,
  count,
  tone,
}: {
  readonly state: State;
  readonly count: number;
  readonly tone: Tone;
}) {
  const words = useJobWords();
  const { show } = route.useSearch();
  const isOn = show === state;
  return (
    <Link
      from="/runs/$id"
      to="/runs/$id"
      params={(same) => same}
      search={({ show: _, ...rest }) => (isOn ? rest : { ...rest, show: state })}
      replace
      resetScroll={false}
      className={`${styles.chip} ${layout.sheet} ${layout.bare}`}
      data-tone={tone}
      aria-current={isOn ? 'true' : undefined}
      activeProps={{}}
    >
      <strong>{count}</strong>
      <span>{words.groups[state]}</span>
    </Link>
  );
}

interface GroupProps {
  readonly run: Run;
  readonly state: State;
  readonly count: number;
  readonly isFolded?: boolean;
}

/** A folded group is read only once it is opened. */
function Group(props: GroupProps) {
  const words = useJobWords();
  const { state, count, isFolded = false } = props;
  const [isOpen, setOpen] = useState(false);
  if (count === 0) return null;
  const title = words.groupTitle(words.groups[state], count);
  if (isFolded)
    return (
      <details className={styles.group} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <h2 className={styles.groupTitle}>{title}</h2>
        </summary>
        {isOpen && <Rows {...props} title={title} />}
      </details>
    );
  return (
    <section className={styles.group} aria-label={title}>
      <h2 className={styles.groupTitle}>{title}</h2>
      <Rows {...props} title={title} />
    </section>
  );
}

function Rows({ run, state, title }: GroupProps & { readonly title: string }) {
  const later = useLaterWords();
  const list = useList(...listOf(run, { state }), live);
  const { items, fault, isLoading, hasMore, isLoadingMore } = list;
  const timeOf = ({ answered = '' }: RunPerson) => answered;
  const shown = items.filter((person) => !isUnclear(person));
  if (state === 'yes') shown.sort((a, b) => timeOf(a).localeCompare(timeOf(b)));
  if (isLoading) return <SkeletonRows count={2} height="2.75rem" />;
  return (
    <>
      <ul className={`${styles.rows} ${layout.lines}`} aria-label={title}>
        {shown.map((person) => (
          <PersonRow key={keyOf(person)} run={run} person={person} />
        ))}
      </ul>
      <FaultNotice fault={fault} tryAgain={list.reload} />
      {list.isBehind && (
        <Button small onClick={list.reload}>
          {later.newer}
        </Button>
      )}
      {hasMore && (
        <Button look="quiet" busy={isLoadingMore} onClick={list.loadMore}>
          {later.loadMore}
        </Button>
      )}
    </>
  );
}

function Unclear({ run, list, isWall }: GroupsProps & { readonly list: ReturnType<typeof useUnclear> }) {
  const words = useJobWords();
  const later = useLaterWords();
  const { items, fault, hasMore, isLoadingMore, loadMore } = list;
  if (items.length === 0 && fault === null) return null;
  const title = words.groupTitle(words.unclear, items.length);
  return (
    <section className={`${styles.group} ${styles.unclear}`} aria-label={title} data-tone="warning">
      <h2 className={styles.groupTitle}>{title}</h2>
      <FaultNotice fault={fault} tryAgain={list.reload} />
      <ul className={`${styles.rows} ${layout.lines}`} aria-label={title}>
        {items.map((person) => (
          <PersonRow key={keyOf(person)} run={run} person={person}>
            {isRunning(run) && !isWall && <AnswerButtons run={run} person={person} />}
          </PersonRow>
        ))}
      </ul>
      {hasMore && (
        <Button look="quiet" busy={isLoadingMore} onClick={loadMore}>
          {later.loadMore}
        </Button>
      )}
    </section>
  );
}

const icons: Readonly<Record<State, readonly [IconName, Tone]>> = {
  yes: ['check', 'delivered'],
  no: ['close', 'cancelled'],
  asked: ['clock', 'waiting'],
  unreachable: ['alert', 'failed'],
  waiting: ['clock', 'cancelled'],
};

/** A person, who opens on a press with all that can be done. */
function PersonRow({
  run,
  person,
  children,
}: {
  readonly run: Run;
  readonly person: RunPerson;
  readonly children?: React.ReactNode;
}) {
  const words = useJobWords();
  const [isOpen, setOpen] = useState(false);
  const { isTakenIn } = useTakenIn();
  const [icon, tone] = isUnclear(person) ? (['reply', 'waiting'] as const) : icons[person.state];
  const name = nameOf(person);
  const isChanging = isTakenIn(keyOf(person), shownOf(person));
  return (
    <li className={layout.lazy}>
      <button
        type="button"
        className={`${styles.person} ${layout.beside} ${layout.tight}`}
        onClick={() => setOpen(true)}
      >
        <span data-tone={tone} className={styles.mark}>
          <Icon name={icon} size={16} />
        </span>
        <span className={layout.fill}>
          <bdi>{person.name === '' ? groupedNumber(name) : name}</bdi>
          {person.reserve !== undefined && (
            <span className={layout.soft}> · {words.reserve(person.reserve)}</span>
          )}
          {person.answer !== undefined && (
            <q className={`${styles.answer} ${layout.soft}`} dir="auto">
              {person.answer}
            </q>
          )}
        </span>
        <span className={layout.soft}>{isChanging ? words.takingIn : <Became person={person} />}</span>
      </button>
      {children}
      {isOpen && <PersonSheet run={run} person={person} close={() => setOpen(false)} />}
    </li>
  );
}

/** The time of the answer, what became of the question, or when the person will be asked. */
function Became({ person: { state, answered, asked, delivery, level } }: { readonly person: RunPerson }) {
  const words = useJobWords();
  const deliveryIn = useDelivery();
  if (answered !== undefined) return <Time at={answered} />;
  if (state === 'waiting') return words.level(level);
  if (delivery !== undefined) return deliveryIn(delivery);
  return asked === undefined ? null : <Time at={asked} />;
}
