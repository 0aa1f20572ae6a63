/** Shows a secret that the server tells only once, such as a link or a key, until the user has it. */
import type { ReactNode } from 'react';
import { CopyButton } from './as-curl.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { useLaterWords } from './later-texts.ts';
import layout from './layout.module.css';
import styles from './secret-once.module.css';

interface SecretOnceProps {
  readonly title: string;
  readonly secret: string;
  /** What the secret is for, and for how long. */
  readonly children: ReactNode;
  readonly close: () => void;
}

/** Only the button closes it, so that no stray key or press loses the secret. */
export function SecretOnce({ title, secret, children, close }: SecretOnceProps) {
  const words = useLaterWords();
  return (
    <Dialog title={title}>
      <div className={layout.stack}>
        <p>{children}</p>
        <p>{words.shownOnce}</p>
        <code className={`${styles.secret} ${layout.well} ${layout.wraps}`}>{secret}</code>
        <div className={styles.buttons}>
          <CopyButton text={secret} small={false} />
          <Button look="main" onClick={close}>
            {words.savedIt}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
