/** The frame of all pages: the navigation, the tabs of pages that belong together, the palette and the toasts. */
import { Link, useMatches } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useLiveHints } from '../api/live-hints.ts';
import { Bell, Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { SkipLink } from '../design/skip-link.tsx';
import { Tabs } from '../design/tabs.tsx';
import { Toasts } from '../design/toasts.tsx';
import type { NavigationItem } from '../routing/page.ts';
import { hasOneOf, useSession } from '../session/session.ts';
import { inLanguage } from '../words/words.ts';
import { BadgeOf } from './badge.tsx';
import { inBarFor, inGroups, isTabbed, itemAt, navigationFor, type ShownItem, tabbed } from './pages.ts';
import styles from './shell.module.css';
import { useFrameWords } from './texts.ts';

const line = `${layout.beside} ${layout.tight}`;
const link = `${styles.link} ${line} ${layout.bare}`;

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const AccountDialog = lazy(async () => ({ default: (await import('./account-dialog.tsx')).AccountDialog }));
const NoRight = lazy(async () => ({ default: (await import('./no-right.tsx')).NoRight }));

type Open = 'palette' | 'account' | undefined;

export function Shell({ children }: { readonly children: ReactNode }) {
  const [open, setOpen] = useState<Open>();
  useLiveHints();
  usePaletteKey(() => setOpen('palette'));
  const close = () => setOpen(undefined);
  return (
    <div className={styles.shell}>
      <SkipLink />
      <Sidebar open={setOpen} />
      <main id="page" tabIndex={-1}>
        <Content>{children}</Content>
      </main>
      <BottomBar open={setOpen} />
      <Toasts />
      <Suspense>
        {open === 'palette' && <Palette close={close} />}
        {open === 'account' && <AccountDialog close={close} />}
      </Suspense>
    </div>
  );
}

function usePaletteKey(show: () => void): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      show();
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, [show]);
}

interface Opening {
  readonly open: (what: Open) => void;
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

function Sidebar({ open }: Opening) {
  const words = useFrameWords();
  const session = useSession();
  const { username, company } = session;
  const items = navigationFor(session);
  return (
    <aside className={styles.sidebar}>
      <Link to="/" className={`${styles.brand} ${line}`}>
        <Bell />
        Carillon
      </Link>
      <button
        type="button"
        className={`${styles.search} ${line} ${layout.soft}`}
        aria-haspopup="dialog"
        onClick={() => open('palette')}
      >
        <Icon name="search" size={16} />
        <span className={layout.fill}>{words.search}</span>
        <kbd>{isApple ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <nav aria-label={words.navigation} className={`${styles.navigation} ${layout.fill}`}>
        {inGroups(items.filter(({ group }) => !isTabbed(group))).map(({ group, items }) => (
          <ul key={group}>
            {items.map((item) => (
              <li key={item.to}>
                <NavigationLink item={item} />
              </li>
            ))}
          </ul>
        ))}
      </nav>
      <div className={styles.end}>
        {items.some(({ group }) => group === 'admin') && <AdministrationLink />}
        <button
          type="button"
          className={`${styles.account} ${line}`}
          aria-haspopup="dialog"
          onClick={() => open('account')}
        >
          <span className={`${styles.initial} ${layout.round}`} data-tone="plain" aria-hidden="true">
            {username.slice(0, 1).toUpperCase()}
          </span>
          <span className={`${styles.who} ${layout.fill} ${layout.soft}`}>
            <strong className={layout.clip}>{username}</strong>
            <span className={layout.clip}>{company.name}</span>
          </span>
          <Icon name="dots" />
        </button>
      </div>
    </aside>
  );
}

interface LinkProps {
  readonly item: ShownItem;
  readonly name?: NavigationItem['name'] | undefined;
}

function NavigationLink({ item, name = item.name }: LinkProps) {
  return (
    <Link to={item.to} className={link} activeOptions={{ exact: item.to === '/' }}>
      <Icon name={item.icon} />
      {/* A long name takes more room in bold, but stays on one line. */}
      <span className={`${layout.clip} ${styles.name}`}>{inLanguage(name)}</span>
      <BadgeOf item={item} />
    </Link>
  );
}

/** Leads to all pages of Administration. */
function AdministrationLink() {
  const words = useFrameWords();
  const isThere = useItem()?.group === 'admin';
  return (
    <Link to={tabbed.admin} className={link} aria-current={isThere ? 'true' : undefined}>
      <Icon name="settings" />
      <span className={`${layout.clip} ${styles.name}`}>{words.tabbed.admin}</span>
    </Link>
  );
}

/** The page of the navigation that the page shown belongs to. */
function useItem(): ShownItem | undefined {
  const path = useMatches({ select: (matches) => matches.at(-1)?.pathname ?? '/' });
  return itemAt(useSession(), path);
}

/** The page, below the tabs that it belongs to; if the user has no right to it, why not. */
function Content({ children }: { readonly children: ReactNode }) {
  const session = useSession();
  const words = useFrameWords();
  const item = useItem();
  if (item === undefined) return children;
  const { group, name, roles } = item;
  if (!hasOneOf(session, roles))
    return (
      <Suspense>
        <NoRight key={item.to} name={inLanguage(name)} roles={roles ?? []} />
      </Suspense>
    );
  if (!isTabbed(group)) return children;
  const tabs = navigationFor(session).filter((one) => one.group === group);
  return (
    <>
      <Tabs label={words.tabbed[group]} tabs={tabs.map(({ to, name }) => ({ to, name: inLanguage(name) }))} />
      {children}
    </>
  );
}

/** The bar on a phone: the most used pages, and the rest behind one button. */
function BottomBar({ open }: Opening) {
  const words = useFrameWords();
  return (
    <nav className={styles.bar} aria-label={words.navigation}>
      {inBarFor(useSession()).map((item) => (
        <NavigationLink key={item.to} item={item} name={item.inBar?.name} />
      ))}
      <button type="button" className={link} aria-haspopup="dialog" onClick={() => open('account')}>
        <Icon name="more" />
        <span>{words.more}</span>
      </button>
    </nav>
  );
}
