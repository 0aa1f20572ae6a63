/** Where a file is dropped, or chosen. */
import { useRef } from 'react';
import { useFileDrop } from '../browser/file-drop.ts';
import { Button } from '../design/button.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import styles from './people.module.css';
import { usePeopleWords } from './texts.ts';

interface FileDropProps {
  readonly take: (file: File) => void;
  readonly fileName: string | undefined;
}

export function FileDrop({ take, fileName }: FileDropProps) {
  const words = usePeopleWords();
  const input = useRef<HTMLInputElement>(null);
  const drop = useFileDrop(take);
  return (
    <div className={styles.drop} {...drop}>
      <Icon name="upload" size={22} />
      <Button look={fileName === undefined ? 'main' : 'plain'} onClick={() => input.current?.click()}>
        {words.choose}
      </Button>
      <span className={layout.soft}>{fileName === undefined ? words.drop : <bdi>{fileName}</bdi>}</span>
      <input
        ref={input}
        type="file"
        className="unseen"
        aria-label={words.choose}
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
  );
}
