/**
 * Acts that the server has accepted, and that what the board shows does not have yet: a run carries out an act within a second.
 */
import { createContext, useContext, useEffect, useState } from 'react';
import { newIdempotencyKey } from '../api/client.ts';
import type { ParametersOf } from '../api/endpoints.ts';
import { type Act, useAct } from '../api/queries.ts';

/** After this time the mark goes, since the run may have ended before it came to the act. */
const longestMs = 10_000;

interface Taken {
  /** What the act is about: the phone of a person, or the name of an act. */
  readonly about: string;
  /** What was shown of it when the act was accepted. */
  readonly before: string;
  readonly until: number;
}

interface TakenIn {
  readonly mark: (about: string, before: string) => void;
  readonly isTakenIn: (about: string, shown: string) => boolean;
}

const Context = createContext<TakenIn>({ mark: () => undefined, isTakenIn: () => false });
export const TakenInProvider = Context.Provider;
export const useTakenIn = () => useContext(Context);

/** Used once, by the board. */
export function useTakingIn(): TakenIn {
  const [taken, setTaken] = useState<readonly Taken[]>([]);
  useEffect(() => {
    if (taken.length === 0) return;
    const next = Math.min(...taken.map(({ until }) => until));
    const drop = () => setTaken((before) => before.filter(({ until }) => until > performance.now()));
    const timer = window.setTimeout(drop, Math.max(0, next - performance.now()) + 50);
    return () => window.clearTimeout(timer);
  }, [taken]);
  return {
    mark: (about, before) =>
      setTaken((all) => [
        ...all.filter((one) => one.about !== about),
        { about, before, until: performance.now() + longestMs },
      ]),
    isTakenIn: (about, shown) => taken.some((one) => one.about === about && one.before === shown),
  };
}

type ActPath =
  | '/api/v1/runs/{id}/accept'
  | '/api/v1/runs/{id}/decline'
  | '/api/v1/runs/{id}/escalate'
  | '/api/v1/runs/{id}/extend'
  | '/api/v1/runs/{id}/tell'
  | '/api/v1/runs/{id}/cancel';

/** Until this time has passed, the same act may repeat one whose answer was lost; later it is a new act. */
const sameActForMs = 10 * 60_000;

/** Acts without an answer so far, by what was asked. They outlive the dialog, which may be closed and opened again. */
const tried = new Map<string, { readonly key: string; readonly at: number }>();

/** An act that is done once, however often it is tried: the key changes when it has been accepted, and after a while. */
export function useRunAct<Path extends ActPath>(
  path: Path,
): Pick<Act<ParametersOf<'POST', Path>, unknown>, 'error' | 'isPending'> & {
  readonly run: (parameters: ParametersOf<'POST', Path>, done: () => void) => void;
} {
  const { mutate, error, isPending } = useAct(path);
  const run = (parameters: ParametersOf<'POST', Path>, done: () => void) => {
    const of = `${path} ${JSON.stringify(parameters)}`;
    const before = tried.get(of);
    const now = performance.now();
    const isSame = before !== undefined && now - before.at < sameActForMs;
    const attempt = isSame ? before : { key: newIdempotencyKey(), at: now };
    tried.set(of, attempt);
    const onSuccess = () => {
      tried.delete(of);
      done();
    };
    mutate({ parameters, idempotencyKey: attempt.key }, { onSuccess });
  };
  return { error, isPending, run };
}
