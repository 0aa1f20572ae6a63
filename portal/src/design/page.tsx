/** A page: its title, its actions, and its content. */
import { type ReactNode, useEffect, useRef } from 'react';
import layout from './layout.module.css';
import styles from './page.module.css';

export interface PageProps {
  readonly title: string;
  /** One sentence under the title. */
  readonly lead?: ReactNode;
  /** Buttons beside the title, the main one last. */
  readonly actions?: ReactNode;
  /** The link back, above the title. */
  readonly back?: ReactNode;
  /** Text and forms are narrow; lists use the available width. */
  readonly width?: 'narrow' | 'wide';
  readonly children: ReactNode;
}

export function Page({ title, lead, actions, back, width = 'wide', children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Carillon`;
  }, [title]);
  // Users of a keyboard or a screen reader begin at the page, not at the navigation that led there.
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <div className={styles.page} data-width={width}>
      {back !== undefined && <div className={styles.back}>{back}</div>}
      <header className={`${styles.header} ${layout.row} ${layout.apart}`}>
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead !== undefined && <p className={styles.lead}>{lead}</p>}
        </div>
        {actions !== undefined && <div className={`${layout.row} ${layout.tight}`}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a page with its own heading. */
export function Section({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className={styles.section} aria-label={title}>
      <div className={`${styles.sectionHeader} ${layout.row} ${layout.level} ${layout.apart}`}>
        <h2>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** A raised panel for things that belong together. */
export function Card({
  children,
  className = '',
}: {
  readonly children: ReactNode;
  readonly className?: string | undefined;
}) {
  return <div className={`${layout.sheet} ${layout.within} ${className}`}>{children}</div>;
}
