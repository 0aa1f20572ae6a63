/** Lines about what may need action: each is a sentence, with the one action that goes with it. */
import type { ReactNode } from 'react';
import type { Fault } from '../api/fault.ts';
import { Icon, type IconName } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { now } from '../words/times.ts';
import styles from './home.module.css';

export interface Line {
  readonly key: string;
  readonly tone: 'failed' | 'waiting' | 'moving' | 'answered';
  readonly icon: IconName;
  readonly title: ReactNode;
  readonly detail?: ReactNode;
  readonly act: ReactNode;
}

export function Lines({ label, lines }: { readonly label: string; readonly lines: readonly Line[] }) {
  return (
    <ul className={layout.lines} aria-label={label}>
      {lines.map(({ key, tone, icon, title, detail, act }) => (
        <li key={key} className={layout.row}>
          <span className={layout.round} data-tone={tone}>
            <Icon name={icon} />
          </span>
          <div className={styles.said}>
            <p>
              <strong>{title}</strong>
            </p>
            {detail !== undefined && <p className={layout.soft}>{detail}</p>}
          </div>
          <div className={styles.act}>{act}</div>
        </li>
      ))}
    </ul>
  );
}

/**
 * Lines of one kind, and the queries that they come from besides that of the page, which may still be loading or may have
 * failed.
 */
export interface Source {
  readonly needs: readonly Line[];
  readonly queries: readonly {
    readonly isLoading: boolean;
    readonly error: Fault | null;
    readonly refetch: () => unknown;
  }[];
}

/** The last midnight in the user's time zone; unlike the current time, the value stays the same all day. */
export function midnight(): string {
  const today = now();
  return new Date(today.getFullYear(), today.getMonth(), today.getDate()).toISOString();
}
