/**
 * Messages in both directions, in a scrolling box: the other side's on the left, one's own on the right, the latest at
 * the bottom.
 */
import type { ReactNode, Ref } from 'react';
import styles from './chat.module.css';
import layout from './layout.module.css';

const footLook = `${styles.foot} ${layout.row} ${layout.soft}`;

interface ChatProps {
  readonly ref: Ref<HTMLDivElement>;
  readonly label: string;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

export function Chat({ ref, label, className = '', children }: ChatProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling by keyboard needs the focus in it
    <div ref={ref} className={`${styles.chat} ${className}`} role="log" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}

interface BubbleProps {
  readonly isOwn: boolean;
  /** The author, for those who can't see which side the message is on. */
  readonly whose: string;
  /** Whether the message was not delivered, or not yet. */
  readonly isLost?: boolean;
  readonly text: string | undefined;
  /** Shown above the text; `foot` is shown below it. */
  readonly head?: ReactNode;
  readonly foot: ReactNode;
}

export function Bubble({ isOwn, whose, isLost = false, text, head, foot }: BubbleProps) {
  return (
    <div className={styles.bubble} data-own={isOwn} data-lost={isLost || undefined}>
      <span className="unseen">{whose}</span>
      {head !== undefined && <p className={footLook}>{head}</p>}
      <p className={layout.verbatim} dir="auto">
        {text}
      </p>
      <p className={footLook}>{foot}</p>
    </div>
  );
}
