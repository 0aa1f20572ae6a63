/** The ⌘K palette: goes to any page by its name, or finds the messages of a number. */
import { useNavigate, useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useState } from 'react';
import combobox from '../design/combobox.module.css';
import { Dialog } from '../design/dialog.tsx';
import { Icon, type IconName } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { useSession } from '../session/session.ts';
import { useLanguage } from '../words/language.ts';
import { inLanguage } from '../words/words.ts';
import { navigationFor } from './pages.ts';
import styles from './palette.module.css';
import { useFrameWords } from './texts.ts';

export function Palette({ close }: { readonly close: () => void }) {
  const words = useFrameWords();
  const id = useId();
  const [text, setText] = useState('');
  const [place, setPlace] = useState(0);
  const targets = useTargets(text);
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
          onChange={(event) => {
            setText(event.target.value);
            setPlace(0);
          }}
          onKeyDown={pressed}
        />
      </div>
      <Targets id={id} targets={targets} place={place} point={setPlace} go={go} />
      {targets.length === 0 && <p className={`${styles.none} ${layout.soft}`}>{words.nothing}</p>}
    </Dialog>
  );
}

interface Target {
  readonly key: string;
  readonly icon: IconName;
  readonly name: string;
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
  const words = useFrameWords();
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
          {target.name}
        </div>
      ))}
    </div>
  );
}

/** Text with at least this many digits may be a phone number or a message id. */
const leastDigits = 3;

function useTargets(text: string): readonly Target[] {
  const words = useFrameWords();
  const language = useLanguage();
  const session = useSession();
  const navigate = useNavigate();
  const { history, buildLocation } = useRouter();
  const pages = navigationFor(session)
    .map(({ to, icon, name }) => ({
      key: to,
      icon,
      name: inLanguage(language, name),
      go: () => history.push(buildLocation({ to }).href),
    }))
    .filter(({ name }) => matchesWords(name, text));
  const q = text.trim();
  if (q.replace(/\D/g, '').length < leastDigits) return pages;
  const go = () => void navigate({ to: '/messages', search: { q } });
  return [...pages, { key: 'search', icon: 'search', name: words.messagesOf(q), go }];
}

/** Each typed word must be the beginning of a word of the name; accents and capitals are ignored. */
function matchesWords(name: string, typed: string): boolean {
  const words = plain(name).split(/\s+/);
  return plain(typed)
    .split(/\s+/)
    .every((part) => words.some((word) => word.startsWith(part)));
}

function plain(text: string): string {
  return text.trim().toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
}
