/** Shows the `curl` command for the API call that the form is about to make, to be copied (PORT-8). */
import { useState } from 'react';
import { asCurl, type CurlCall } from '../api/as-curl.ts';
import styles from './as-curl.module.css';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';
import { useLaterWords } from './later-texts.ts';
import layout from './layout.module.css';
import { showToast } from './toasts.tsx';

export function AsCurl({ call }: { readonly call: CurlCall }) {
  const words = useLaterWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={layout.soft}>{words.asCurl}</summary>
      {isOpen && (
        <div className={styles.box}>
          <pre className={layout.scrolls}>
            <code>{asCurl(call)}</code>
          </pre>
          <div className={`${styles.foot} ${layout.row} ${layout.apart} ${layout.soft}`}>
            <span>{words.curlNote}</span>
            <CopyButton text={asCurl(call)} />
          </div>
        </div>
      )}
    </details>
  );
}

export function CopyButton({
  text,
  label,
  small = true,
}: {
  readonly text: string;
  readonly label?: string;
  readonly small?: boolean;
}) {
  const words = useLaterWords();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      showToast({ text: words.copied });
    } catch {
      // The clipboard is unavailable without TLS, or access to it was denied.
      showToast({ text: words.copyFailed, tone: 'error' });
    }
  };
  return (
    <Button small={small} icon={<Icon name="copy" size={15} />} onClick={() => void copy()}>
      {label ?? words.copy}
    </Button>
  );
}
