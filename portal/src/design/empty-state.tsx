/** Shown instead of an empty list: why it is empty, and what to do. */
import type { ReactNode } from 'react';
import styles from './empty-state.module.css';
import { Icon, type IconName } from './icons.tsx';
import layout from './layout.module.css';

export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  readonly icon: IconName;
  /** Absent if the title of the page already says it. */
  readonly title?: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className={`${styles.empty} ${layout.centred}`}>
      <span className={`${styles.icon} ${layout.round}`} data-tone="plain">
        <Icon name={icon} size={26} />
      </span>
      {title !== undefined && <p className={styles.title}>{title}</p>}
      {children !== undefined && <p className={styles.text}>{children}</p>}
      {action}
    </div>
  );
}
