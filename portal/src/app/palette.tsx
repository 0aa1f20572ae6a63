/** The ⌘K palette: goes to any page, finds people and things by name or number, and begins what is done with them. */
import { useNavigate, useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useState } from 'react';
import { matchesWords } from '../../../src/wire/word-match.ts';
import { useRead } from '../api/queries.ts';
import { useSettled } from '../browser/settled.ts';
import combobox from '../design/combobox.module.css';
import { CloseButton, Dialog } from '../design/dialog.tsx';
import { Icon, type IconName } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { hasOneOf, useSession } from '../session/session.ts';
import { groupedNumber } from '../words/numbers.ts';
import { inLanguage } from '../words/words.ts';
import { useLaterWords } from './later-texts.ts';
import { navigationFor } from './pages.ts';
import styles from './palette.module.css';

export function Palette({ close }: { readonly close: () => void }) {
  const words = useLaterWords();
  const id = useId();
  const [text, setText] = useState('');
  const [place, setPlace] = useState(0);
  const typed = text.trim();
  const { targets, isLooking } = useTargets(typed);
  const go = (target: Target) => {
    close();
    target.go();
  };
  const pressed = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setPlace((place + step + targets.length) % Math.max(1, targets.length));
    }
    const target = targets[place];
    if (event.key === 'Enter' && target !== undefined) go(target);
  };
  return (
    <Dialog title={words.palette} close={close} look="palette">
      <div className={`${styles.input} ${layout.beside}`}>
        <Icon name="search" />
        <input
          role="combobox"
          className={layout.fill}
          aria-label={words.palette}
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={targets.length > 0 ? `${id}-${place}` : undefined}
          placeholder={words.paletteHint}
          autoFocus
          value={text}
          maxLength={100}
          onChange={(event) => {
            setText(event.target.value);
            setPlace(0);
          }}
          onKeyDown={pressed}
        />
        <CloseButton close={close} />
      </div>
      <Targets id={id} targets={targets} place={place} point={setPlace} go={go} />
      {targets.length === 0 && (
        <p className={`${styles.none} ${layout.soft}`} role="status">
          {isLooking ? words.looking : words.nothing(typed)}
        </p>
      )}
    </Dialog>
  );
}

interface Target {
  readonly key: string;
  readonly icon: IconName;
  readonly name: string;
  /** What kind of thing it is, or its number. */
  readonly detail?: string | undefined;
  readonly go: () => void;
}

function Targets({
  id,
  targets,
  place,
  point,
  go,
}: {
  readonly id: string;
  readonly targets: readonly Target[];
  readonly place: number;
  readonly point: (place: number) => void;
  readonly go: (target: Target) => void;
}) {
  const words = useLaterWords();
  return (
    <div role="listbox" id={id} aria-label={words.palette} className={`${styles.list} ${layout.scrolls}`}>
      {targets.map((target, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field above
        <div
          key={target.key}
          role="option"
          id={`${id}-${index}`}
          tabIndex={-1}
          aria-selected={index === place}
          className={`${combobox.option} ${layout.bare} ${layout.row}`}
          onClick={() => go(target)}
          onPointerMove={() => point(index)}
        >
          <Icon name={target.icon} />
          <bdi>{target.name}</bdi>
          {target.detail !== undefined && <span className={layout.soft}>{target.detail}</span>}
        </div>
      ))}
    </div>
  );
}

/** Text with at least this many digits may be a phone number or a message id. */
const leastDigits = 3;
/** The list waits this long for more letters before it asks the server. */
const settledMs = 150;
/** So many people are offered as recipients; beyond these, the list would be long. */
const maxOffered = 3;

function useTargets(typed: string): { readonly targets: readonly Target[]; readonly isLooking: boolean } {
  const words = useLaterWords();
  const navigate = useNavigate();
  const maySend = hasOneOf(useSession(), ['send']);
  const pages = usePageTargets(typed);
  const found = useFoundTargets(typed, maySend);
  const number = typed.replace(/\D/g, '').length < leastDigits ? [] : [typed];
  const ofNumber = number.flatMap((q): readonly Target[] => [
    {
      key: 'search',
      icon: 'search',
      name: words.messagesOf(q),
      go: () => void navigate({ to: '/messages', search: { q } }),
    },
    ...(maySend && isNumberLike.test(q)
      ? [
          {
            key: 'send to number',
            icon: 'compose' as const,
            name: words.sendTo(q),
            go: () => void navigate({ to: '/send', search: { to: q } }),
          },
        ]
      : []),
  ]);
  return { targets: [...pages, ...found.targets, ...ofNumber], isLooking: found.isLooking };
}

/** A phone number as people write it, and not the id of a message, which has ten digits that begin with a 1. */
const isNumberLike = /^(?!1\d{9}$)[+(]{0,2}[0-9][0-9 .()/-]{4,60}$/;

function usePageTargets(typed: string): readonly Target[] {
  const session = useSession();
  const { history, buildLocation } = useRouter();
  return navigationFor(session)
    .map(({ to, icon, name }) => ({
      key: to,
      icon,
      name: inLanguage(name),
      go: () => history.push(buildLocation({ to }).href),
    }))
    .filter(({ name }) => matchesWords(name, typed));
}

/** What the server finds, and what can be done with it. What it found for fewer letters is not shown in the meantime. */
function useFoundTargets(typed: string, maySend: boolean) {
  const words = useLaterWords();
  const navigate = useNavigate();
  const { routesByPath, history, buildLocation } = useRouter();
  const settled = useSettled(typed, settledMs);
  const isSettled = settled === typed;
  const { data, isLoading } = useRead('/api/v1/find', { q: settled }, { enabled: settled !== '' });
  const isLooking = typed !== '' && (!isSettled || isLoading);
  if (data === undefined || !isSettled) return { targets: [], isLooking };
  // The pages of jobs may not be built in.
  const startsJobs = '/jobs/$id' in routesByPath;
  const targets: readonly Target[] = [
    ...data.jobs
      .filter(() => startsJobs)
      .map(({ id, name }) => ({
        key: `job ${id}`,
        icon: 'arrow' as const,
        name: words.startJob(name),
        go: () => history.push(buildLocation({ to: '/jobs/$id', params: { id } } as object).href),
      })),
    ...data.people.flatMap(({ book, id, name, phone }, place): readonly Target[] => [
      {
        key: `person ${book} ${id}`,
        icon: 'people',
        name: name || groupedNumber(phone ?? ''),
        detail: name === '' || phone === undefined ? undefined : groupedNumber(phone),
        go: () => void navigate({ to: '/people/$book/person/$id', params: { book, id } }),
      },
      ...(maySend && phone !== undefined && place < maxOffered
        ? [
            {
              key: `send to ${book} ${id}`,
              icon: 'compose' as const,
              name: words.sendTo(name || groupedNumber(phone)),
              go: () => void navigate({ to: '/send', search: { to: phone, name } }),
            },
          ]
        : []),
    ]),
    ...data.groups.flatMap(({ book, name, isDefault }): readonly Target[] => [
      {
        key: `group ${book} ${name}`,
        icon: 'people',
        name,
        detail: words.kinds.group,
        go: () => void navigate({ to: '/people/$book/groups/$name', params: { book, name } }),
      },
      ...(maySend && isDefault
        ? [
            {
              key: `send to group ${name}`,
              icon: 'compose' as const,
              name: words.sendTo(name),
              detail: words.kinds.group,
              go: () => void navigate({ to: '/send', search: { group: name } }),
            },
          ]
        : []),
    ]),
    ...data.templates.map(({ id, name }) => ({
      key: `template ${id}`,
      icon: 'templates' as const,
      name,
      detail: words.kinds.template,
      go: () => void navigate({ to: '/templates/$id', params: { id } }),
    })),
    ...data.batches.map(({ id, name }) => ({
      key: `batch ${id}`,
      icon: 'batches' as const,
      name,
      detail: words.kinds.batch,
      go: () => void navigate({ to: '/batches/$id', params: { id } }),
    })),
  ];
  return { targets, isLooking };
}
