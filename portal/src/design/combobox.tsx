/**
 * Suggestions for what is typed, below the field. They are chosen with the arrow keys and Enter or with a pointer, and
 * ignored by a user who keeps typing. For screen readers it is a combobox with a list box (ARIA Authoring Practices).
 */
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import styles from './combobox.module.css';
import layout from './layout.module.css';

export interface Option {
  readonly key: string;
  readonly shown: ReactNode;
  readonly choose: () => void;
}

export interface Suggesting {
  /** Label of the list, for those who can't see it. */
  readonly label: string;
  readonly options: readonly Option[];
  /** Whether Enter chooses the first option if no arrow key was pressed. */
  readonly takesFirst: boolean;
}

/** `attributes` are those of the field. `pressed` returns whether the key was for the list, which comes after the field. */
export function useCombobox({ label, options, takesFirst }: Suggesting) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [pointed, setPointed] = useState<string>();
  const isShown = isOpen && options.length > 0;
  const found = options.findIndex(({ key }) => key === pointed);
  const at = found >= 0 ? found : takesFirst ? 0 : -1;
  const close = () => {
    setOpen(false);
    setPointed(undefined);
  };
  const choose = (option: Option) => {
    close();
    option.choose();
  };
  const move = (by: 1 | -1) => {
    const from = at < 0 && by < 0 ? 0 : at;
    setPointed(options[(from + by + options.length) % options.length]?.key);
  };
  const pressed = (event: KeyboardEvent): boolean => {
    const option = options[at];
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : undefined;
    if (options.length > 0 && step !== undefined) {
      if (isShown) move(step);
      setOpen(true);
    } else if (isOpen && event.key === 'Escape') close();
    else if (isShown && event.key === 'Enter' && option !== undefined) choose(option);
    else return false;
    event.preventDefault();
    return true;
  };
  const attributes = {
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-expanded': isShown,
    'aria-controls': `${id}-list`,
    'aria-activedescendant': isShown && at >= 0 ? `${id}-${at}` : undefined,
    autoComplete: 'off',
  } as const;
  const list = isShown && <Options id={id} label={label} options={options} at={at} choose={choose} />;
  return { attributes, pressed, open: () => setOpen(true), close, list };
}

function Options({
  id,
  label,
  options,
  at,
  choose,
}: Pick<Suggesting, 'label' | 'options'> & {
  readonly id: string;
  readonly at: number;
  readonly choose: (option: Option) => void;
}) {
  return (
    <div id={`${id}-list`} role="listbox" aria-label={label} className={`${styles.list} ${layout.paper}`}>
      {options.map((option, place) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys.
        <div
          key={option.key}
          id={`${id}-${place}`}
          role="option"
          tabIndex={-1}
          aria-selected={place === at}
          className={`${styles.option} ${layout.bare} ${layout.row} ${layout.level}`}
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(option)}
        >
          {option.shown}
        </div>
      ))}
    </div>
  );
}
