/** How far something is, or how much of it is left: a bar of parts in the colours of their tones. What it shows is said in words too. */
import type { HTMLAttributes } from 'react';
import styles from './bar.module.css';
import type { Tone } from './status-badge.tsx';

interface BarProps extends HTMLAttributes<HTMLDivElement> {
  /** Without a tone: what there is none of yet, or no more. */
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
