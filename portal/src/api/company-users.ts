/** The users of the company, for choosing among them; `names` are those of active ones. */
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
    all: items,
    names: items.filter(({ active }) => active).map(({ username }) => username),
    fault,
    tryAgain: hasMore ? loadMore : reload,
  };
}
