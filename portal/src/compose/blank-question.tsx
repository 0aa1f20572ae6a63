/** Asks before a text goes out in which something was left blank: what is sent can't be filled in afterwards. */
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import layout from '../design/layout.module.css';
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
    <Dialog title={words.blankTitle} close={close}>
      <div className={layout.stack}>
        <p>{words.blankText(blank.length)}</p>
        <ul className={styles.blankFields}>
          {blank.map((label) => (
            <li key={label}>
              <bdi>{label}</bdi>
            </li>
          ))}
        </ul>
        <div className={layout.buttons}>
          <Button autoFocus onClick={close}>
            {words.fillIn}
          </Button>
          <Button look="main" onClick={send}>
            {words.sendBlank}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
