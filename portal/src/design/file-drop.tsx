/** Where a file is dropped, or chosen. */
import { type ReactNode, useRef } from 'react';
import { useFileDrop } from '../browser/file-drop.ts';
import { Button } from './button.tsx';
import styles from './file-drop.module.css';
import { Icon } from './icons.tsx';
import layout from './layout.module.css';

interface FileDropProps {
  readonly take: (file: File) => void;
  /** What the button says. */
  readonly label: string;
  /** What stands below it: how to drop one, or the name of the one that was. */
  readonly hint: string;
  readonly look?: 'main' | 'plain';
  /** What stands above, on which a file can be dropped too. */
  readonly children?: ReactNode;
}

export function FileDrop({ take, label, hint, look = 'plain', children }: FileDropProps) {
  const input = useRef<HTMLInputElement>(null);
  const drop = useFileDrop(take);
  return (
    <div className={`${layout.stack} ${styles.area}`} {...drop}>
      {children}
      <div className={styles.drop}>
        <Icon name="upload" size={22} />
        <Button look={look} onClick={() => input.current?.click()}>
          {label}
        </Button>
        <bdi className={layout.soft}>{hint}</bdi>
        <input
          ref={input}
          type="file"
          className="unseen"
          aria-label={label}
          tabIndex={-1}
          accept=".csv,.txt,.tsv,text/csv"
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            if (file !== undefined) take(file);
            // The same file, mended, can be chosen again.
            target.value = '';
          }}
        />
      </div>
    </div>
  );
}
