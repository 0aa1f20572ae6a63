/** A sentence that must be seen where it belongs: what went wrong, or what to keep in mind. */
import type { ReactNode } from 'react';
import type { Fault } from '../api/fault.ts';
import { Button } from './button.tsx';
import { FaultText } from './fault-text.tsx';
import { Icon } from './icons.tsx';
import layout from './layout.module.css';
import styles from './notice.module.css';
import { useDesignWords } from './texts.ts';

export function Notice({
  tone = 'plain',
  action,
  children,
}: {
  readonly tone?: 'plain' | 'warning' | 'error' | 'good';
  readonly action?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div
      className={`${styles.notice} ${layout.row}`}
      data-tone={tone}
      role={tone === 'error' ? 'alert' : undefined}
    >
      <Icon name={tone === 'good' ? 'check' : 'alert'} />
      <div className={styles.text}>{children}</div>
      {action}
    </div>
  );
}

export function FaultNotice({
  fault,
  tryAgain,
}: {
  readonly fault: Fault | null | undefined;
  readonly tryAgain?: () => void;
}) {
  const words = useDesignWords();
  if (fault === null || fault === undefined) return null;
  return (
    <Notice
      tone="error"
      action={
        tryAgain !== undefined && (
          <Button small onClick={tryAgain}>
            {words.tryAgain}
          </Button>
        )
      }
    >
      <FaultText fault={fault} />
    </Notice>
  );
}
