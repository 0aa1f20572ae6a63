/** The parts of a page, each with an address of its own: links of which one is open. */
import { Link } from '@tanstack/react-router';
import styles from './part-links.module.css';

interface PartLinksProps {
  /** What the parts belong to, for those who can't see it. */
  readonly label: string;
  readonly tabs: readonly (readonly [path: string, name: string])[];
}

export function PartLinks({ label, tabs }: PartLinksProps) {
  return (
    <nav aria-label={label} className={styles.tabs}>
      {tabs.map(([path, name]) => (
        <Link
          key={path}
          to={path}
          activeOptions={{ exact: true, includeSearch: false }}
          className={styles.tab}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
