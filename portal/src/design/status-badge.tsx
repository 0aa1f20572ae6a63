/** The status of a message, in one word, with the colour and symbol that it has on every page. */
import type { StatusName } from '../../../src/messages/message.ts';
import { Icon, type IconName } from './icons.tsx';
import layout from './layout.module.css';
import styles from './status-badge.module.css';
import { useDesignWords } from './texts.ts';

/** The states that have a colour; `quiet` is for those that need none. */
export type Tone = 'waiting' | 'moving' | 'delivered' | 'failed' | 'cancelled' | 'answered';

export const toneOf: Readonly<Record<StatusName, Tone>> = {
  SCHEDULED: 'waiting',
  QUEUED: 'waiting',
  SENT: 'moving',
  ACCEPTED: 'moving',
  DELIVERED: 'delivered',
  DELETED: 'cancelled',
  CANCELED: 'cancelled',
  EXPIRED: 'failed',
  REJECTED: 'failed',
  UNDELIVERABLE: 'failed',
  ABSENTSUBSCRIBER: 'failed',
  UNKNOWNSUBSCRIBER: 'failed',
  INVALIDDESTINATION: 'failed',
  SUBSCRIBERERROR: 'failed',
  UNKNOWN: 'failed',
  ERROR: 'failed',
};

const icons: Readonly<Record<Tone, IconName>> = {
  waiting: 'clock',
  moving: 'arrow',
  delivered: 'check',
  failed: 'alert',
  cancelled: 'stop',
  answered: 'reply',
};

interface StatusBadgeProps {
  readonly status: StatusName;
  /** A simulator reported this status; no phone was involved. */
  readonly simulated?: boolean | undefined;
}

export function StatusBadge({ status, simulated }: StatusBadgeProps) {
  const words = useDesignWords();
  return (
    <>
      <Badge tone={toneOf[status]}>{words.statuses[status]}</Badge>
      {simulated && <span className={`${styles.simulated} ${layout.soft}`}> {words.simulated}</span>}
    </>
  );
}

/** The same badge for states of anything other than a message. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: React.ReactNode }) {
  return (
    <span className={styles.badge} data-tone={tone}>
      <Icon name={icons[tone]} size={13} />
      {children}
    </span>
  );
}
