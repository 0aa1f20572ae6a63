/** The active users of the company, for choosing one of them. */
import { useEffect } from 'react';
import { useList } from './queries.ts';

/** All pages are loaded one after the other, while the user already reads the first. */
export function useCompanyUsers() {
  const { items, fault, hasMore, isLoadingMore, loadMore, reload } = useList('/api/v1/users', 'users', {
    limit: 200,
  });
  const goesOn = hasMore && !isLoadingMore && fault === null;
  useEffect(() => {
    if (goesOn) loadMore();
  });
  return {
    names: items.filter(({ active }) => active).map(({ username }) => username),
    fault,
    tryAgain: hasMore ? loadMore : reload,
  };
}
