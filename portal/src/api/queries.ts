/** How components read and change the server's data: one answer, a list by its cursor, or an action. */
import {
  keepPreviousData,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { type CallOptions, get, isUnconfirmed, patch, post, remove } from './client.ts';
import type { AnswerOf, ParametersOf, PathFor } from './endpoints.ts';
import { Fault } from './fault.ts';

const retries = 3;
const longestPauseMs = 8_000;

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // Hints report changes; data that is shown again after a while is reloaded.
        staleTime: 5_000,
        networkMode: 'always',
        refetchOnWindowFocus: true,
        retry: (failures, error) => error instanceof Fault && error.isPassing && failures < retries,
        retryDelay: (failures) => Math.min(longestPauseMs, 500 * 2 ** failures),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
}

export interface ReadOptions {
  /** Reload when the server hints that one of these lists has changed: `messages`, `contacts`, `templates` and so on. */
  readonly live?: readonly string[];
  /** How often to read what nobody announces, in milliseconds. */
  readonly everyMs?: number;
  /** Whether to read at all; true by default. */
  readonly enabled?: boolean;
  /** Whether the previous answer stays visible until the next one arrives. */
  readonly keepsPrevious?: boolean;
}

/** For an answer that takes the server so long that hints should not ask for it: how often to read it instead. */
type PauseAfter<Answer> = (answer: Answer) => number | undefined;

export function useRead<Path extends PathFor<'GET'>>(
  path: Path,
  parameters: ParametersOf<'GET', Path>,
  {
    live = [],
    enabled = true,
    keepsPrevious = false,
    everyMs,
    pauseAfter,
  }: ReadOptions & { readonly pauseAfter?: PauseAfter<AnswerOf<'GET', Path>> } = {},
) {
  const pauseOf = (data: AnswerOf<'GET', Path> | undefined) => data && pauseAfter?.(data);
  return useQuery<AnswerOf<'GET', Path>, Fault>({
    queryKey: [path, parameters],
    queryFn: ({ signal }) => get(path, parameters, { signal }),
    enabled,
    meta: { live, pauseOf },
    refetchInterval: ({ state }) => pauseOf(state.data) ?? everyMs ?? false,
    ...(keepsPrevious ? { placeholderData: keepPreviousData } : {}),
  });
}

/** Maximum number of pages without a match that are read in a row; then the user is asked whether to continue. */
const maxEmptyPages = 50;

type ItemOf<Answer, Name extends keyof Answer> = Answer[Name] extends readonly (infer Item)[] ? Item : never;

/** Maximum number of pages that are reloaded when something changes. In a longer list, new items are shown on request. */
const maxLivePages = 3;

/** Reads a list page by page; `name` is the field of the answer that holds its items. */
export function useList<Path extends PathFor<'GET'>, Name extends keyof AnswerOf<'GET', Path> & string>(
  path: Path,
  name: Name,
  parameters: ParametersOf<'GET', Path>,
  { live = [], enabled = true }: ReadOptions = {},
) {
  type Answer = AnswerOf<'GET', Path>;
  const client = useQueryClient();
  const queryKey = [path, parameters, 'list'];
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }): Promise<Answer> =>
      get(path, { ...parameters, after: pageParam } as ParametersOf<'GET', Path>, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Answer) => (page as { readonly next?: string }).next,
    enabled,
    refetchOnWindowFocus: false,
    meta: { live, maxLivePages },
  });
  const pages = query.data?.pages ?? [];
  const itemsOf = (page: Answer) => page[name] as readonly ItemOf<Answer, Name>[];
  const items = pages.flatMap(itemsOf);
  const emptyAtEnd = pages.length - 1 - pages.findLastIndex((page) => itemsOf(page).length > 0);
  return {
    items,
    /** The first page as answered, including what the answer holds besides the items. */
    first: pages[0],
    fault: query.error as Fault | null,
    isLoading: query.isPending && enabled,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    /** Whether many pages had no match; there may be matches further back. */
    isFarBack: emptyAtEnd > 0 && emptyAtEnd % maxEmptyPages === 0,
    loadMore: () => void query.fetchNextPage(),
    /** Whether something has changed that is not shown, because too much of the list is shown to reload it. */
    isBehind: client.getQueryState(queryKey)?.isInvalidated === true && pages.length > maxLivePages,
    reload: () => void client.resetQueries({ queryKey }),
  };
}

type ActVariables<Parameters> = { readonly parameters: Parameters } & CallOptions;

/** What to do with the answer to an action, or with its failure, even if the component that started it is gone. */
interface Answered<Answer> {
  /** `isShown` is true while the component is still there and may navigate to another page. */
  readonly onSuccess?: (answer: Answer, isShown: boolean) => void;
  /**
   * Without it, the component shows `error`; if the component is gone, the fault goes to the handler set with
   * `whenUnseen`.
   */
  readonly onError?: (fault: Fault) => void;
}

/** The state of an action, and the function that starts it. */
export interface Act<Parameters, Answer> {
  readonly error: Fault | null;
  readonly isPending: boolean;
  mutate(call: ActVariables<Parameters>, answered?: Answered<Answer>): void;
}

let tellUnseen: ((fault: Fault) => void) | undefined;

/** Sets how to report the fault of an action that was started on a page no longer shown. */
export function whenUnseen(tell: (fault: Fault) => void): void {
  tellUnseen = tell;
}

function useCall<Variables, Answer>(mutationFn: (variables: Variables) => Promise<Answer>) {
  const client = useQueryClient();
  const { mutateAsync, reset, ...rest } = useMutation<Answer, Fault, Variables>({
    mutationFn,
    onSuccess: () => void client.invalidateQueries(),
    // The page then has to show the other user's change beside the refused one.
    onError: ({ code }) => {
      if (code === 'changed_meanwhile') void client.invalidateQueries();
    },
  });
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  // The library's own `mutate` drops its callbacks together with the component.
  const mutate = useCallback(
    (variables: Variables, { onSuccess, onError }: Answered<Answer> = {}) =>
      void mutateAsync(variables).then(
        (answer) => onSuccess?.(answer, isShown.current),
        (fault: Fault) => {
          // The user cancelled the password dialog, so there is nothing to report.
          if (isUnconfirmed(fault)) reset();
          else if (onError !== undefined) onError(fault);
          else if (!isShown.current) tellUnseen?.(fault);
        },
      ),
    [mutateAsync, reset],
  );
  return { ...rest, reset, mutate };
}

/** An action by POST. What pages show is reloaded once the action is done. */
export function useAct<Path extends PathFor<'POST'>>(path: Path) {
  return useCall<ActVariables<ParametersOf<'POST', Path>>, AnswerOf<'POST', Path>>(
    ({ parameters, ...options }) => post(path, parameters, options),
  );
}

/** Changes an object by PATCH: the given fields change, and the rest stays. */
export function useChange<Path extends PathFor<'PATCH'>>(path: Path) {
  return useCall<ActVariables<ParametersOf<'PATCH', Path>>, AnswerOf<'PATCH', Path>>(
    ({ parameters, ...options }) => patch(path, parameters, options),
  );
}

/**
 * Changes an object that the page reads by the same path and `key`. Until it is read again, it is shown as answered: shown as
 * before, it would look as if nothing was saved, and what is typed next would begin with the former version.
 */
export function useEdit<Path extends PathFor<'PATCH'> & PathFor<'GET'>>(
  path: Path,
  key: ParametersOf<'GET', Path>,
) {
  const client = useQueryClient();
  const act = useChange(path);
  const mutate: typeof act.mutate = (call, { onSuccess, ...others } = {}) =>
    act.mutate(call, {
      ...others,
      onSuccess(answer, isShown) {
        onSuccess?.(answer, isShown);
        client.setQueryData<object>(
          [path, key],
          (before) => before && asAnswered(before, call.parameters, answer as object),
        );
      },
    });
  return { ...act, mutate };
}

/** What is not in the answer is as it was, unless the call has cleared it. */
function asAnswered(before: object, given: object, answer: object): object {
  // With another id, it is another object.
  if ('id' in before && 'id' in answer && before.id !== answer.id) return before;
  const kept = Object.entries(before).filter(([name]) => !(name in given));
  return { ...Object.fromEntries(kept), ...answer };
}

export function useRemoval<Path extends PathFor<'DELETE'>>(path: Path) {
  return useCall<ActVariables<ParametersOf<'DELETE', Path>>, AnswerOf<'DELETE', Path>>(
    ({ parameters, ...options }) => remove(path, parameters, options),
  );
}
