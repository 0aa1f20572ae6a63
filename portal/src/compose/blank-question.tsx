/** Asks before a text goes out in which something was left blank: what is sent can't be filled in afterwards. */
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import styles from './compose.module.css';
import { useComposeWords } from './texts.ts';

interface QuestionProps {
  /** Labels of the fields. */
  readonly blank: readonly string[];
  readonly close: () => void;
  readonly send: () => void;
}

export function BlankQuestion({ blank, close, send }: QuestionProps) {
  const words = useComposeWords();
  return (
    <ConfirmDialog
      title={words.blankTitle}
      label={words.sendBlank}
      cancel={words.fillIn}
      look="main"
      confirm={send}
      close={close}
    >
      <p>{words.blankText(blank.length)}</p>
      <ul className={styles.blankFields}>
        {blank.map((label) => (
          <li key={label}>
            <bdi>{label}</bdi>
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}
