/** The first link of a page, which leads past the navigation; seen only while it has the focus. */
import styles from './skip-link.module.css';
import { useDesignWords } from './texts.ts';

export function SkipLink() {
  return (
    <a className={styles.skip} href="#page">
      {useDesignWords().skip}
    </a>
  );
}
