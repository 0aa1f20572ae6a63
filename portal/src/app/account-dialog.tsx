/** Shows who is signed in, the portal's theme and language in this browser, and, on a phone, all other pages. */
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { pathPrefix } from '../api/client.ts';
import { Fault } from '../api/fault.ts';
import { forgetKept } from '../browser/kept.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Choice } from '../design/field.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { chooseTheme, themes, useTheme } from '../design/theme.ts';
import { currentSession, signOut, useSession } from '../session/session.ts';
import { chooseLanguage, language, languageNames, languages } from '../words/language.ts';
import { inLanguage } from '../words/words.ts';
import styles from './account-dialog.module.css';
import { useLaterWords } from './later-texts.ts';
import { isTabbed, navigationFor, type ShownItem, tabbed } from './pages.ts';
import { useFrameWords } from './texts.ts';

export function AccountDialog({ close }: { readonly close: () => void }) {
  const words = useFrameWords();
  const later = useLaterWords();
  const client = useQueryClient();
  const session = useSession();
  const theme = useTheme();
  const [fault, setFault] = useState<Fault>();
  const leave = async () => {
    let next: string | undefined;
    try {
      next = await signOut();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return setFault(error);
    }
    // Unfinished work survives the end of a session, but a user who signs out leaves none of it to the next user.
    forgetKept(['draft', 'attempt', 'start-attempt', 'batch-attempts'], session.username);
    close();
    client.clear();
    currentSession.set(undefined);
    if (next !== undefined) location.assign(next);
  };
  const items = navigationFor(session);
  const linkTo = (item: ShownItem) => (
    <Link key={item.to} to={item.to} className={`${layout.beside} ${layout.bare}`} onClick={close}>
      <Icon name={item.icon} />
      {inLanguage(item.name)}
    </Link>
  );
  return (
    <Dialog title={later.account} close={close}>
      <div className={layout.stack}>
        <p className={layout.soft}>{later.signedInAs(session.username, session.company.name)}</p>
        <nav aria-label={words.navigation} className={`${styles.pages} ${styles.others} ${layout.grid}`}>
          {items.filter(({ group }) => !isTabbed(group)).map(linkTo)}
          {items.some(({ group }) => group === 'admin') && (
            <Link to={tabbed.admin} className={`${layout.beside} ${layout.bare}`} onClick={close}>
              <Icon name="settings" />
              {words.tabbed.admin}
            </Link>
          )}
        </nav>
        <nav aria-label={words.tabbed.settings} className={`${styles.pages} ${layout.grid}`}>
          {items.filter(({ group }) => group === 'settings').map(linkTo)}
        </nav>
        <Choice
          label={later.theme}
          value={theme}
          options={themes.map((name) => [name, later.themes[name]] as const)}
          onChange={chooseTheme}
        />
        <Choice
          label={later.language}
          value={language}
          options={languages.map((name) => [name, languageNames[name]] as const)}
          onChange={chooseLanguage}
        />
        <div className={`${layout.row} ${layout.apart} ${layout.soft}`}>
          <a href={`${pathPrefix}/docs`}>{later.apiDocs}</a>
          <span>{later.version(session.version)}</span>
        </div>
        <FaultNotice fault={fault} />
        <Button icon={<Icon name="out" />} onClick={() => void leave()}>
          {later.signOut}
        </Button>
      </div>
    </Dialog>
  );
}
