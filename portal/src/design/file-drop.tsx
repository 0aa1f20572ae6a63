/** The place where a file is dropped or chosen. */
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { Button } from './button.tsx';
import styles from './file-drop.module.css';
import { Icon } from './icons.tsx';
import layout from './layout.module.css';

interface FileDropProps {
  readonly take: (file: File) => void;
  /** Label of the button. */
  readonly label: string;
  /** Text below the button: how to drop a file, or the name of the dropped file. */
  readonly hint: string;
  readonly look?: 'main' | 'plain';
  /** Content above the button, on which a file can be dropped too. */
  readonly children?: ReactNode;
}

export function FileDrop({ take, label, hint, look = 'plain', children }: FileDropProps) {
  const input = useRef<HTMLInputElement>(null);
  const drop = useFileDrop(take);
  return (
    <div className={`${layout.stack} ${styles.area}`} {...drop}>
      {children}
      <div className={`${styles.drop} ${layout.centred}`}>
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
            // Cleared, so that the same file can be chosen again once it is corrected.
            target.value = '';
          }}
        />
      </div>
    </div>
  );
}

/**
 * What an element needs so that a file can be dropped on it: it takes the first file, and shows when a file is over it.
 */
function useFileDrop(take: (file: File) => void) {
  const [isOver, setOver] = useState(false);
  return {
    'data-over': isOver || undefined,
    onDragOver(event: DragEvent) {
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop(event: DragEvent) {
      event.preventDefault();
      setOver(false);
      const [file] = event.dataTransfer.files;
      if (file !== undefined) take(file);
    },
  };
}
