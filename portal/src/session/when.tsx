/** When a key or a session was created or last used, in a list. */
import layout from '../design/layout.module.css';
import { Time } from '../design/time.tsx';
import styles from './session.module.css';
import { useSessionWords } from './texts.ts';

/** The label is for layouts in which the list has no columns. */
export function When({ at, label }: { readonly at: string | undefined; readonly label?: string }) {
  const words = useSessionWords();
  return (
    <>
      {label !== undefined && <span className={styles.label}>{label}: </span>}
      {at === undefined ? (
        words.never
      ) : (
        <span className={layout.wraps}>
          <Time at={at} />
        </span>
      )}
    </>
  );
}
