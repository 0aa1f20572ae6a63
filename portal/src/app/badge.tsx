/** The number beside a page of the navigation. It is part of the link's name for those who can't see it. */
import type { NavigationItem } from '../routing/page.ts';
import { inLanguage, useNumbers } from '../words/words.ts';
import styles from './shell.module.css';

type UseBadge = NonNullable<NavigationItem['useBadge']>;

export function BadgeOf({ item: { useBadge } }: { readonly item: Pick<NavigationItem, 'useBadge'> }) {
  return useBadge === undefined ? null : <Counted useBadge={useBadge} />;
}

function Counted({ useBadge }: { readonly useBadge: UseBadge }) {
  const number = useNumbers();
  const badge = useBadge();
  if (badge === undefined || badge.count === 0) return null;
  const { count, isMore = false, isUrgent = false, said } = badge;
  return (
    <span className={styles.badge} data-tone={isUrgent ? 'failed' : 'plain'}>
      <span aria-hidden="true">
        {number(count)}
        {isMore && '+'}
      </span>
      <span className="unseen">{inLanguage(said)(count)}</span>
    </span>
  );
}
