/** A small label, such as a tag of a person or one of the recipients, with a cross to remove it. */
import type { ReactNode } from 'react';
import styles from './chip.module.css';
import { Icon } from './icons.tsx';
import layout from './layout.module.css';

interface ChipProps {
  readonly children: ReactNode;
  /** Whether the chip is marked as wrong; the page that shows the chip says why. */
  readonly isWrong?: boolean;
  /** Label and action of the cross. */
  readonly remove?: readonly [label: string, act: () => void];
}

export function Chip({ children, isWrong = false, remove }: ChipProps) {
  return (
    <span className={styles.chip} data-wrong={isWrong || undefined}>
      <span className={styles.text}>{children}</span>
      {remove !== undefined && (
        <button type="button" className={layout.round} aria-label={remove[0]} onClick={remove[1]}>
          <Icon name="close" size={14} />
        </button>
      )}
    </span>
  );
}
