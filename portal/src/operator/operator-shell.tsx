/** The frame of the pages of operators: a grey bar, so that nobody takes them for those of a company, and their navigation. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Fault } from '../api/fault.ts';
import { useLiveHints } from '../api/live-hints.ts';
import { Button, ButtonLink } from '../design/button.tsx';
import { DialogButton } from '../design/confirm-dialog.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Choice } from '../design/field.tsx';
import { Bell, Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { SkipLink } from '../design/skip-link.tsx';
import { Tabs } from '../design/tabs.tsx';
import { chooseTheme, themes, useTheme } from '../design/theme.ts';
import { Toasts } from '../design/toasts.tsx';
import { chooseLanguage, language, languageNames, languages } from '../words/language.ts';
import styles from './operator.module.css';
import { signOutOperator, useOperator } from './session.ts';
import { useOperatorWords } from './texts.ts';

export function OperatorShell({ children }: { readonly children: ReactNode }) {
  const words = useOperatorWords();
  const username = useOperator()?.username ?? '';
  useLiveHints();
  return (
    <>
      <SkipLink />
      <header className={`${styles.bar} ${layout.row} ${layout.apart}`}>
        <span className={`${layout.beside} ${layout.tight}`}>
          <Bell size={22} />
          <strong>{words.operator}</strong>
        </span>
        <DialogButton label={username} icon={<Icon name="settings" />} small>
          {(close) => <Account username={username} close={close} />}
        </DialogButton>
      </header>
      <main id="page" tabIndex={-1}>
        <Tabs
          label={words.operator}
          tabs={[
            { to: '/operator', name: words.companies, isExact: true },
            { to: '/operator/carriers', name: words.carriers },
            { to: '/operator/routes', name: words.routes },
            { to: '/operator/numbers', name: words.numbers },
            { to: '/operator/unrouted', name: words.unrouted },
            { to: '/operator/receipts', name: words.receipts },
            { to: '/operator/service', name: words.service },
          ]}
        />
        {children}
      </main>
      <Toasts />
    </>
  );
}

function Account({ username, close }: { readonly username: string; readonly close: () => void }) {
  const words = useOperatorWords();
  const client = useQueryClient();
  const theme = useTheme();
  const [fault, setFault] = useState<Fault>();
  const leave = async () => {
    try {
      await signOutOperator();
      client.clear();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      setFault(error);
    }
  };
  return (
    <Dialog title={username} close={close}>
      <div className={layout.stack}>
        <Choice
          label={words.theme}
          value={theme}
          options={themes.map((name) => [name, words.themes[name]] as const)}
          onChange={chooseTheme}
        />
        <Choice
          label={words.language}
          value={language}
          options={languages.map((name) => [name, languageNames[name]] as const)}
          onChange={chooseLanguage}
        />
        <ButtonLink to="/operator/security" onClick={close}>
          {words.security}
        </ButtonLink>
        <FaultNotice fault={fault} />
        <Button icon={<Icon name="out" />} onClick={() => void leave()}>
          {words.signOut}
        </Button>
      </div>
    </Dialog>
  );
}
