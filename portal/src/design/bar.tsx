/**
 * A bar that shows the progress of something, or how much of it is left, as parts in the colours of their tones. What it
 * shows is also given in words.
 */
import type { HTMLAttributes } from 'react';
import styles from './bar.module.css';
import type { Tone } from './status-badge.tsx';

interface BarProps extends HTMLAttributes<HTMLDivElement> {
  /** A part without a tone shows what is still missing, or what is used up. */
  readonly parts: readonly (readonly [tone: Tone | 'plain' | undefined, share: number])[];
}

export function Bar({ parts, ...about }: BarProps) {
  return (
    <div {...about} className={styles.bar}>
      {parts
        .filter(([, share]) => share > 0)
        .map(([tone, share]) => (
          <span key={tone ?? 'rest'} data-tone={tone} style={{ flexGrow: share }} />
        ))}
    </div>
  );
}
