/**
 * One attempt to send, from the press of the button to the answer. It has its key from the start, and keeps it across a lost
 * connection and a reload: what is requested again under that key is never sent twice.
 *
 *   held ──ten seconds──▶ sending ──answer──▶ sent
 *    │ undo                 │ refused ──▶ gone, with the server's sentence
 *    ▼                      │ no answer ──▶ doubtful ──again──▶ sending
 *   gone                    ▼                 └── a day later: outdated; it can only be searched for
 *    └── the page was closed: interrupted; nothing was sent, and nothing is sent until the user says so
 *
 * All tabs of a browser share one attempt. While it is held or being sent, one tab has it, and the other tabs show it as
 * `elsewhere`.
 */
import { isRepeatable, newIdempotencyKey, post } from '../api/client.ts';
import { Fault, type FaultContent } from '../api/fault.ts';
import { serverTime } from '../browser/clock.ts';
import { forgetDraft } from '../browser/draft.ts';
import { keep, kept, whenKeptElsewhere } from '../browser/kept.ts';
import { sharedValue } from '../browser/value.ts';
import { currentSession } from '../session/session.ts';
import { type Draft, draftName, isMadeOf, type SendParameters } from './draft.ts';

export interface Sent {
  readonly accepted: readonly { readonly to: string; readonly id: string }[];
  readonly rejected: readonly string[];
}

interface Begun {
  readonly key: string;
  readonly parameters: SendParameters;
  /** When the attempt was first sent, or when its hold began. */
  readonly begunAt: number;
}

type OpenAttempt = {
  readonly state: 'held' | 'interrupted' | 'sending' | 'doubtful' | 'outdated' | 'elsewhere';
  /** The server's answer, if the answer does not say whether the message was sent. */
  readonly said?: FaultContent;
} & Begun;

export type Attempt =
  | OpenAttempt
  | { readonly state: 'sent'; readonly sent: Sent; readonly parameters: SendParameters }
  | { readonly state: 'refused'; readonly fault: Fault };

/** Milliseconds during which the attempt can be undone: long enough to notice a wrong recipient, short enough to wait for. */
const heldMs = 10_000;

/** On the clock of `performance.now`. */
let heldUntil = 0;

/** Seconds during which the attempt that this tab holds can still be undone. */
export function secondsLeft(): number {
  return Math.max(0, Math.ceil((heldUntil - performance.now()) / 1_000));
}

const current = sharedValue<Attempt | undefined>(undefined);
export const useAttempt = current.use;
export const attemptNow = current.get;
export const whenAttemptChanges = current.subscribe;

let timer: number | undefined;
let heartbeat: number | undefined;
let owner: string | undefined;
/** The key of the attempt that this tab holds or sends. */
let ownKey: string | undefined;
/** Whether the other tabs, and this one after a reload, know of the attempt. The browser's storage may be off or full. */
let isStored = true;

const storedName = () => `attempt.${owner}`;
const aliveName = () => `attempt-alive.${owner}`;

function stored(): OpenAttempt | undefined {
  const text = kept(storedName());
  if (text === undefined) return undefined;
  const { said, ...attempt } = JSON.parse(text) as OpenAttempt;
  // An older version of the page stored a sentence without its code.
  return typeof said === 'object' ? { ...attempt, said } : attempt;
}

/** This tab reports that it is alive before other tabs learn that it holds the attempt. */
function takeOn(attempt: OpenAttempt): void {
  if (ownKey === undefined) {
    ownKey = attempt.key;
    sayAlive();
    heartbeat = window.setInterval(sayAlive, 1_000);
    window.addEventListener('pagehide', fallSilent);
    window.addEventListener('beforeunload', warn);
  }
  become(attempt);
}

function become(attempt: OpenAttempt): void {
  current.set(attempt);
  isStored = keep(storedName(), JSON.stringify(attempt));
  // What is stored is out of date.
  if (!isStored) keep(storedName(), undefined);
}

function release(): void {
  if (ownKey === undefined) return;
  ownKey = undefined;
  window.clearTimeout(timer);
  window.clearInterval(heartbeat);
  fallSilent();
  window.removeEventListener('pagehide', fallSilent);
  window.removeEventListener('beforeunload', warn);
}

function forget(key: string): void {
  if (stored()?.key === key) keep(storedName(), undefined);
}

function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

const sayAlive = () => void keep(aliveName(), String(Date.now()));
const fallSilent = () => void keep(aliveName(), undefined);

/**
 * Browsers let the timers of a background tab run only once a minute. Locks, which need no timer, are available over HTTPS only.
 */
const aliveForMs = 90_000;
const isAlive = () => Math.abs(Date.now() - Number(kept(aliveName()) ?? 0)) < aliveForMs;

/** Loads what this browser knows of an attempt that a previous page did not finish, or that another tab holds. */
export function recallAttempt(username: string): void {
  if (owner === username) {
    look();
    return;
  }
  if (owner === undefined) {
    whenKeptElsewhere((name) => {
      if (name === storedName() || name === aliveName()) look();
    });
    window.setInterval(() => {
      const state = current.get()?.state;
      if (state === 'elsewhere' || state === 'doubtful') look();
    }, 1_000);
  }
  release();
  owner = username;
  current.set(undefined);
  look();
}

/** The stored state is authoritative, because another tab may have taken over, finished or dropped the attempt. */
function look(): void {
  if (!isStored) return;
  const shown = current.get();
  const known = stored();
  if (known === undefined) {
    if (shown === undefined || !('key' in shown)) return;
    release();
    current.set(undefined);
    return;
  }
  if (known.key === ownKey || shown?.state === 'sent') return;
  release();
  const state = stateOf(known);
  const isShown = shown !== undefined && 'key' in shown && shown.key === known.key && shown.state === state;
  if (!isShown) current.set({ ...known, state });
}

/** The state of an attempt that this tab does not hold. */
function stateOf(known: OpenAttempt): OpenAttempt['state'] {
  if (known.state !== 'doubtful' && isAlive()) return 'elsewhere';
  if (known.state === 'held') return 'interrupted';
  return isRepeatable(known.begunAt) ? 'doubtful' : 'outdated';
}

/** Holds the attempt for ten seconds before it is sent. */
export function hold(parameters: SendParameters): void {
  heldUntil = performance.now() + heldMs;
  takeOn({ state: 'held', key: newIdempotencyKey(), parameters, begunAt: serverTime() });
  timer = window.setTimeout(() => void sendNow(), heldMs);
}

/**
 * Drops the attempt, even if it was interrupted, refused or sent, and frees the form. An attempt that is being sent can't be
 * recalled.
 */
export function letGo(): void {
  const attempt = current.get();
  if (attempt?.state === 'sending') return;
  release();
  if (attempt !== undefined && 'key' in attempt) forget(attempt.key);
  current.set(undefined);
  look();
}

export async function sendNow(): Promise<void> {
  const attempt = current.get();
  if (attempt === undefined || !('key' in attempt)) return;
  // The author has signed out, and the attempt must not be sent in anyone else's name.
  if (currentSession.get()?.username !== owner) return letGo();
  if (isStored && stored()?.key !== attempt.key) return look();
  const { state, key, parameters } = attempt;
  if (state === 'doubtful' && !isRepeatable(attempt.begunAt))
    return current.set({ ...attempt, state: 'outdated' });
  if (state !== 'held' && state !== 'interrupted' && state !== 'doubtful') return;
  window.clearTimeout(timer);
  const begunAt = state === 'doubtful' ? attempt.begunAt : serverTime();
  takeOn({ state: 'sending', key, parameters, begunAt });
  const sender = owner as string;
  try {
    const sent: Sent = await post('/api/v1/send', parameters, { idempotencyKey: key, firstSentAt: begunAt });
    // The draft is forgotten whatever page is now shown, because a draft that stayed would be sent a second time.
    forgetDraft<Draft>(draftName(sender), (draft) => isMadeOf(parameters, draft));
    forget(key);
    current.set({ state: 'sent', sent, parameters });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (error.isRefusal) {
      forget(key);
      current.set({ state: 'refused', fault: error });
    } else {
      const said =
        error.code === 'unreachable'
          ? {}
          : { said: { code: error.code, error: error.error, values: error.values } };
      become({ state: 'doubtful', key, parameters, begunAt, ...said });
    }
  }
  release();
}
