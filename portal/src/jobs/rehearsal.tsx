/** What a start would do: who is asked in which order, who is not and why, at what cost, and whether the goal can be met. */
import { useState } from 'react';
import { ItemTable } from '../design/cursor-list.tsx';
import { ReasonText } from '../design/fault-text.tsx';
import layout from '../design/layout.module.css';
import { Notice } from '../design/notice.tsx';
import { Section } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { useNumbers } from '../words/words.ts';
import styles from './jobs.module.css';
import { nameOf, type Rehearsal } from './run.ts';
import { useJobWords } from './texts.ts';

type Task = Rehearsal['tasks'][number];

/** How many people are asked at the start; `isMore` if there are more than the rehearsal lists. */
export function countAskedFirst({ people, peopleCount }: Rehearsal) {
  const count = people.filter(({ askedAtOnce, why }) => askedAtOnce && why === undefined).length;
  return { count, isMore: peopleCount > people.length && people.at(-1)?.askedAtOnce === true };
}

/** The first task whose goal can't be met, however many levels are opened. */
export function shortfallOf({
  tasks,
}: Rehearsal): { readonly goal: number; readonly canBeReached: number } | undefined {
  const task = tasks.find(({ canBeMet }) => !canBeMet);
  return task && { goal: task.goal ?? 0, canBeReached: task.canBeReached };
}

interface RehearsalProps {
  readonly rehearsal: Rehearsal;
  /** The filter of the job's type. */
  readonly filter: string | undefined;
  /** Whether it is about the fields as they are now. */
  readonly isCurrent: boolean;
}

export function RehearsalView({ rehearsal, filter, isCurrent }: RehearsalProps) {
  const words = useJobWords();
  const { tasks, partsFirst, partsAll, mailsFirst, mailsAll } = rehearsal;
  const costs = [
    partsAll > 0 && words.partsNow(partsFirst, partsAll),
    mailsAll > 0 && words.mailsNow(mailsFirst, mailsAll),
  ].filter((cost) => cost !== false);
  if (tasks.length === 0) return <NotAsked rehearsal={rehearsal} filter={filter} />;
  return (
    <Section title={words.whoIsAsked} actions={<span className={layout.soft}>{costs.join(' · ')}</span>}>
      <div className={layout.stack} aria-busy={!isCurrent}>
        {tasks.map((task) => (
          <TaskView key={task.task} task={task} />
        ))}
        <Quota rehearsal={rehearsal} />
        <NotAsked rehearsal={rehearsal} filter={filter} />
        <Everybody rehearsal={rehearsal} />
      </div>
    </Section>
  );
}

function TaskView({ task: { task, goal, canBeMet, canBeReached, levels } }: { readonly task: Task }) {
  const words = useJobWords();
  return (
    <div className={`${layout.stack} ${layout.tight}`}>
      {task !== '' && (
        <h3>
          <bdi>{task}</bdi>
        </h3>
      )}
      <ol className={layout.lines}>
        {levels.map(({ name, afterMinutes, people }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: levels are known by their order
          <li key={place} className={`${layout.beside} ${layout.level}`}>
            <span className={styles.order}>{place + 1}</span>
            <span className={layout.fill}>
              {afterMinutes === 0 ? words.atOnce : words.afterMinutes(afterMinutes)}{' '}
              {task !== '' && <bdi className={layout.soft}>{name}</bdi>}
            </span>
            <strong>{words.people(people)}</strong>
          </li>
        ))}
      </ol>
      {canBeMet ? (
        <p>
          {goal === undefined ? words.noGoal : words.goal(goal)}
          {goal !== undefined && (
            <span className={layout.soft} data-tone="good">
              {' '}
              · {words.canBeMet}
            </span>
          )}
        </p>
      ) : (
        <Notice tone="warning">{words.shortfall(canBeReached, goal ?? 0)}</Notice>
      )}
    </div>
  );
}

/** The quota may suffice for the first level only. What does not suffice for that is a problem of the rehearsal. */
function Quota({ rehearsal }: { readonly rehearsal: Rehearsal }) {
  const words = useJobWords();
  const numbers = useNumbers();
  const { partsAll, quotaLeft, mailsAll, mailsLeft } = rehearsal;
  return (
    <>
      {quotaLeft !== undefined && quotaLeft < partsAll && (
        <Notice tone="warning">{words.quotaShort(numbers(quotaLeft), numbers(partsAll))}</Notice>
      )}
      {quotaLeft !== undefined && quotaLeft >= partsAll && (
        <p className={layout.soft}>{words.quotaLeft(numbers(quotaLeft))}</p>
      )}
      {mailsLeft !== undefined && mailsLeft < mailsAll && (
        <Notice tone="warning">{words.mailsShort(numbers(mailsLeft), numbers(mailsAll))}</Notice>
      )}
    </>
  );
}

function NotAsked({ rehearsal, filter }: Pick<RehearsalProps, 'rehearsal' | 'filter'>) {
  const words = useJobWords();
  const { leftOut, leftOutCount, notMatching = 0 } = rehearsal;
  return (
    <>
      {notMatching > 0 && (
        <p className={layout.soft}>
          {words.notMatching(notMatching)} {filter !== undefined && <code>{filter}</code>}
        </p>
      )}
      {leftOutCount > 0 && (
        <details>
          <summary>{words.leftOut(leftOutCount)}</summary>
          <ul className={`${layout.lines} ${layout.scrolls}`}>
            {leftOut.map((person, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: one person may be left out twice
              <li key={place} className={`${layout.row} ${layout.apart}`}>
                <bdi>{nameOf(person)}</bdi>
                <span className={layout.soft}>{words.whyLeftOut[person.why]}</span>
              </li>
            ))}
          </ul>
          {leftOutCount > leftOut.length && <p>{words.others(leftOutCount - leftOut.length)}</p>}
        </details>
      )}
    </>
  );
}

/** Everybody in the order of asking; the list is made only when somebody looks at it. */
function Everybody({ rehearsal: { people, peopleCount, tasks } }: { readonly rehearsal: Rehearsal }) {
  const words = useJobWords();
  const [isOpen, setOpen] = useState(false);
  const unreachable = people.filter(({ why }) => why !== undefined).length;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {words.everybody(peopleCount)}
        {unreachable > 0 && ` · ${words.cannotBeAsked(unreachable)}`}
      </summary>
      {isOpen && (
        <ItemTable
          label={words.whoIsAsked}
          items={people.map((person, place) => ({ ...person, place }))}
          keyOf={({ place }) => String(place)}
          columns={[
            { title: words.name, place: 'main', cell: (person) => <bdi>{nameOf(person)}</bdi> },
            {
              title: words.to,
              place: 'below',
              cell: ({ phone, email, why, whyValues }) =>
                why !== undefined ? (
                  <span className={layout.soft} data-tone="failed">
                    <ReasonText reason={why} values={whyValues} />
                  </span>
                ) : phone === undefined ? (
                  <bdi>{email}</bdi>
                ) : (
                  <PhoneNumber number={phone} />
                ),
            },
            {
              title: words.levelTitle,
              place: 'aside',
              cell: ({ task, level, afterMinutes, askedAtOnce }) =>
                [
                  tasks.length > 1 && task,
                  words.level(level),
                  askedAtOnce
                    ? words.atOnce
                    : afterMinutes > 0
                      ? words.afterMinutes(afterMinutes)
                      : words.later,
                ]
                  .filter((one) => one !== false)
                  .join(' · '),
            },
          ]}
        />
      )}
      {isOpen && peopleCount > people.length && <p>{words.others(peopleCount - people.length)}</p>}
    </details>
  );
}
