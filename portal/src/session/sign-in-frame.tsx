/** What all pages before the portal itself have in common: the bell, a panel, and the choice of language. */
import { type ReactNode, useEffect } from 'react';
import { pathPrefix } from '../api/client.ts';
import type { Fault } from '../api/fault.ts';
import { Button } from '../design/button.tsx';
import { Bell } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { chooseLanguage, language, languageNames, languages } from '../words/language.ts';
import styles from './session.module.css';
import { useSessionWords } from './texts.ts';

export function SignInFrame({
  title,
  lead,
  children,
}: {
  readonly title: string;
  readonly lead: string;
  readonly children: ReactNode;
}) {
  const words = useSessionWords();
  useEffect(() => {
    document.title = `${title} · Carillon`;
  }, [title]);
  return (
    <div className={styles.frame}>
      <main className={styles.sheet}>
        <div className={`${styles.mark} ${layout.row}`}>
          <Bell size={34} />
          <span>Carillon</span>
        </div>
        <h1 className={styles.title}>{title}</h1>
        <p className={styles.lead}>{lead}</p>
        {children}
      </main>
      <footer className={`${styles.foot} ${layout.row}`}>
        <a href={`${pathPrefix}/docs`}>{words.apiDocs}</a>
        {languages.map((one) => (
          <Button
            key={one}
            look="quiet"
            small
            lang={one}
            aria-pressed={one === language}
            onClick={() => chooseLanguage(one)}
          >
            {languageNames[one]}
          </Button>
        ))}
      </footer>
    </div>
  );
}

/** It is unknown whether the user is signed in. */
export function UnreachablePage({
  fault,
  tryAgain,
}: {
  readonly fault: Fault;
  readonly tryAgain: () => void;
}) {
  const words = useSessionWords();
  return (
    <SignInFrame title="Carillon" lead={words.lead}>
      <FaultNotice fault={fault} tryAgain={tryAgain} />
    </SignInFrame>
  );
}
