/** The conversations page: the list of conversations and, beside it, the open one. A phone shows only one of the two. */
import { useEffect, useRef } from 'react';
import { EmptyState } from '../design/empty-state.tsx';
import layout from '../design/layout.module.css';
import { Page } from '../design/page.tsx';
import pick from '../design/pick-list.module.css';
import { conversationsRoute } from './address.ts';
import { ConversationList, ListFilters } from './conversation-list.tsx';
import styles from './conversations.module.css';
import { useConversationWords } from './texts.ts';
import { Thread } from './thread.tsx';

export function ConversationsPage() {
  const words = useConversationWords();
  const { open } = conversationsRoute.useSearch();
  const page = useRef<HTMLDivElement>(null);
  useKeys(page);
  return (
    <div ref={page} className={styles.page} data-open={open !== undefined}>
      <Page title={words.title}>
        <div className={`${pick.panes} ${styles.panes} ${layout.sheet}`} data-open={open !== undefined}>
          <div className={styles.list}>
            <ListFilters />
            <ConversationList />
          </div>
          <div className={styles.thread}>
            {open === undefined ? (
              <EmptyState icon="conversations" title={words.choose}>
                {words.chooseText}
              </EmptyState>
            ) : (
              <Thread key={open} id={open} />
            )}
          </div>
        </div>
      </Page>
    </div>
  );
}

/**
 * Keys outside text fields: up and down move through the list, R moves to the reply, E archives. Enter is handled by the link
 * itself.
 */
function useKeys(page: { readonly current: HTMLDivElement | null }): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const { key, target, altKey, ctrlKey, metaKey } = event;
      const isTyped = target instanceof Element && target.closest('input, textarea, select, dialog') !== null;
      if (isTyped || altKey || ctrlKey || metaKey || page.current === null) return;
      const step = { ArrowDown: 1, ArrowUp: -1 }[key];
      if (step !== undefined) {
        const links = [...page.current.querySelectorAll<HTMLElement>('[data-conversation]')];
        const from = page.current.querySelector(
          '[data-conversation]:focus, [data-conversation][aria-current]',
        );
        links[links.indexOf(from as HTMLElement) + step]?.focus();
      } else if (key === 'r') page.current.querySelector('textarea')?.focus();
      else if (key === 'e') page.current.querySelector<HTMLElement>('[data-archive]')?.click();
      else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, [page]);
}
