/** Links to the pages that belong together, above each of them. They wrap where there is no room. */
import { Link } from '@tanstack/react-router';
import layout from './layout.module.css';
import styles from './tabs.module.css';

export interface Tab {
  readonly to: string;
  readonly name: string;
  /** Whether pages below the path are other tabs, so that the tab is the current one only on its own page. */
  readonly isExact?: boolean;
}

export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  return (
    <nav className={styles.tabs} aria-label={label}>
      <p className={layout.soft}>{label}</p>
      <ul>
        {tabs.map(({ to, name, isExact = false }) => (
          <li key={to}>
            <Link
              to={to}
              className={`${layout.bare} ${layout.beside} ${layout.tight}`}
              activeOptions={{ exact: isExact, includeSearch: false }}
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
