/** Marks a field whose value comes from a provisioning file, and can be changed only there. */
import { Icon } from './icons.tsx';
import { useLaterWords } from './later-texts.ts';
import styles from './managed-mark.module.css';

/** `name` is the key in the file; users quote it when they ask the operator to change it. */
export function ManagedMark({ name }: { readonly name: string }) {
  const words = useLaterWords();
  return (
    <span className={styles.mark} title={name}>
      <Icon name="lock" size={14} />
      {words.setByOperator}
    </span>
  );
}
