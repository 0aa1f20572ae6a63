/** How components read and change what the server has: one answer, a list by its cursor, an act. */
import {
  keepPreviousData,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { type CallOptions, get, patch, post, remove } from './client.ts';
import type { AnswerOf, ParametersOf, PathFor } from './endpoints.ts';
import { Fault } from './fault.ts';

const retries = 3;
const longestPauseMs = 8_000;

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // What changes is told by hints; what is shown again after a while is read again.
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
  /** Read again when the server hints that one of these lists has changed: `messages`, `contacts`, `templates` and so on. */
  readonly live?: readonly string[];
  /** Not read as long as this is false. */
  readonly enabled?: boolean;
  /** What was shown stays until the next answer is there. */
  readonly keepsPrevious?: boolean;
}

/** One answer of the server. */
export function useRead<Path extends PathFor<'GET'>>(
  path: Path,
  parameters: ParametersOf<'GET', Path>,
  { live = [], enabled = true, keepsPrevious = false }: ReadOptions = {},
) {
  return useQuery<AnswerOf<'GET', Path>, Fault>({
    queryKey: [path, parameters],
    queryFn: ({ signal }) => get(path, parameters, { signal }),
    enabled,
    meta: { live },
    ...(keepsPrevious ? { placeholderData: keepPreviousData } : {}),
  });
}

/** One answer for each of several: of few, since each is a call of its own. They are read and known together. */
export function useReads<Path extends PathFor<'GET'>>(
  path: Path,
  each: readonly ParametersOf<'GET', Path>[],
  { live = [] }: Pick<ReadOptions, 'live'> = {},
) {
  return useQuery<readonly AnswerOf<'GET', Path>[], Fault>({
    queryKey: [path, each, 'each'],
    queryFn: ({ signal }) => Promise.all(each.map((parameters) => get(path, parameters, { signal }))),
    enabled: each.length > 0,
    placeholderData: keepPreviousData,
    meta: { live },
  });
}

/** So many pages on which nothing fits are read one after the other; then whoever looks is asked whether to go on. */
const mostEmptyPages = 50;

type ItemOf<Answer, Name extends keyof Answer> = Answer[Name] extends readonly (infer Item)[] ? Item : never;

/** So many pages are read again when something changes; of a longer list, what is new shows when it is asked for. */
const mostLivePages = 3;

/** A list, page by page: `name` is the field of the answer that holds its items. */
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
    meta: { live, mostLivePages },
  });
  const pages = query.data?.pages ?? [];
  const itemsOf = (page: Answer) => page[name] as readonly ItemOf<Answer, Name>[];
  const items = pages.flatMap(itemsOf);
  const emptyAtEnd = pages.length - 1 - pages.findLastIndex((page) => itemsOf(page).length > 0);
  return {
    items,
    /** The first page as it was answered, with what it tells beside the items. */
    first: pages[0],
    fault: query.error as Fault | null,
    isLoading: query.isPending && enabled,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    /** Nothing was found on many pages: there may be more, far back. */
    isFarBack: emptyAtEnd > 0 && emptyAtEnd % mostEmptyPages === 0,
    loadMore: () => void query.fetchNextPage(),
    /** Something has changed, but so much of the list is shown that it was not read again. */
    isBehind: client.getQueryState(queryKey)?.isInvalidated === true && pages.length > mostLivePages,
    reload: () => void client.resetQueries({ queryKey }),
  };
}

type ActVariables<Parameters> = { readonly parameters: Parameters } & CallOptions;

/** What is done with the answer to an act, and with its failure: also when the component that has asked is gone by then. */
interface Answered<Answer> {
  /** `isShown`: the component is still there, and may lead on to another page. */
  readonly onSuccess?: (answer: Answer, isShown: boolean) => void;
  /** Left out: the component shows `error`, and while it is gone it is told as `whenUnseen` says. */
  readonly onError?: (fault: Fault) => void;
}

/** How an act stands, and what does it. */
export interface Act<Parameters, Answer> {
  readonly error: Fault | null;
  readonly isPending: boolean;
  mutate(call: ActVariables<Parameters>, answered?: Answered<Answer>): void;
}

let tellUnseen: ((fault: Fault) => void) | undefined;

/** Says how to tell what went wrong with an act that was begun on a page which no longer shows. */
export function whenUnseen(tell: (fault: Fault) => void): void {
  tellUnseen = tell;
}

function useCall<Variables, Answer>(mutationFn: (variables: Variables) => Promise<Answer>) {
  const client = useQueryClient();
  const { mutateAsync, reset, ...rest } = useMutation<Answer, Fault, Variables>({
    mutationFn,
    onSuccess: () => void client.invalidateQueries(),
    // What somebody else has made of it is to be seen beside what was refused.
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
  // The library's own `mutate` drops what is to be done with the answer together with the component.
  const mutate = useCallback(
    (variables: Variables, { onSuccess, onError }: Answered<Answer> = {}) =>
      void mutateAsync(variables).then(
        (answer) => onSuccess?.(answer, isShown.current),
        (fault: Fault) => {
          // Asked for the password, somebody has thought better of it: there is nothing to tell.
          if (fault.code === 'password_needed') reset();
          else if (onError !== undefined) onError(fault);
          else if (!isShown.current) tellUnseen?.(fault);
        },
      ),
    [mutateAsync, reset],
  );
  return { ...rest, reset, mutate };
}

/** An act by POST. What pages show is read again once it is done. */
export function useAct<Path extends PathFor<'POST'>>(path: Path) {
  return useCall<ActVariables<ParametersOf<'POST', Path>>, AnswerOf<'POST', Path>>(
    ({ parameters, ...options }) => post(path, parameters, options),
  );
}

/** A change of an object by PATCH: what is given changes, and the rest stays. */
export function useChange<Path extends PathFor<'PATCH'>>(path: Path) {
  return useCall<ActVariables<ParametersOf<'PATCH', Path>>, AnswerOf<'PATCH', Path>>(
    ({ parameters, ...options }) => patch(path, parameters, options),
  );
}

export function useRemoval<Path extends PathFor<'DELETE'>>(path: Path) {
  return useCall<ActVariables<ParametersOf<'DELETE', Path>>, AnswerOf<'DELETE', Path>>(
    ({ parameters, ...options }) => remove(path, parameters, options),
  );
}
