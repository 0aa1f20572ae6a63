/** Admits pages by their sessions, which are held in memory until news reports that one has ended. */
import type { KeyObject } from 'node:crypto';
import { type Account, findAccountById, isActive, mustHaveFactor } from '../accounts/account.ts';
import { type Caller, callerOf } from '../accounts/caller.ts';
import { Freshness, FreshReads } from '../accounts/fresh-reads.ts';
import { isOfPortal } from '../audit/audit-log.ts';
import { ServiceError } from '../foundation/errors.ts';
import { lruCache } from '../foundation/lru-cache.ts';
import type { PageCredentials } from '../http/credentials/credentials.ts';
import type { Context } from '../storage/context.ts';
import type { News } from '../storage/news.ts';
import type { FactorSecrets } from './factor.ts';
import { digestOf, isAlive, isToken, type Session, stillStands, touchEveryMs } from './session.ts';
import { type FoundSession, findLink, findSession, listSessions, touchSession } from './session-store.ts';

const maxRemembered = 10_000;

interface SessionsParts extends Context {
  readonly news: News;
  /** Created by `sessionSecret`. */
  readonly secret: KeyObject;
  readonly secrets: FactorSecrets;
  readonly log: { warn(details: object, message: string): void };
}

interface Remembered {
  readonly session: Session;
  readonly caller: Caller;
  readonly edition: number;
  /** After this time the store is asked again, since another node may have seen the user in the meantime. */
  readonly until: number;
}

export class Sessions {
  readonly #parts: SessionsParts;
  readonly #freshness: Freshness;
  readonly #reads: FreshReads<string, FoundSession | undefined>;
  readonly #remembered = lruCache<string, Remembered>(maxRemembered);

  constructor(parts: SessionsParts) {
    this.#parts = parts;
    this.#freshness = new Freshness(parts.news, 'accounts', 'sessions');
    this.#reads = new FreshReads(this.#freshness, (digest) => parts.store.read(findSession, digest));
  }

  authenticate({ kind, token, ...page }: PageCredentials): Caller | Promise<Caller> {
    if (!isToken(this.#parts.secret, kind, token)) {
      if (kind === 'link') return this.#byRightPassword(token);
      throw hasEnded(kind);
    }
    const digest = digestOf(token);
    if (kind === 'link') return this.#byLink(digest);
    const caller = this.#recall(digest);
    if (caller !== undefined) return admitted(page, caller);
    return this.#bySession(digest).then((found) => admitted(page, found));
  }

  /** Whose session the token is; undefined if it has ended. */
  async callerOf(token: string): Promise<Caller | undefined> {
    if (!isToken(this.#parts.secret, 'session', token)) return undefined;
    const digest = digestOf(token);
    return this.#recall(digest) ?? (await this.#find(digest));
  }

  /** Whether a session that was admitted would be admitted now. */
  async goesOn(digest: string): Promise<boolean> {
    // True even if the session was used long ago: news reports its end, and the store is asked only about a session
    // that seems to have been idle for too long.
    const caller = this.#known(digest)?.caller ?? (await this.#find(digest));
    return isOfPortal(caller?.session) && caller?.session.lacksFactor !== true;
  }

  #recall(digest: string): Caller | undefined {
    const known = this.#known(digest);
    return known !== undefined && this.#parts.clock.now() < known.until ? known.caller : undefined;
  }

  #known(digest: string): Remembered | undefined {
    const known = this.#remembered.get(digest);
    const holds = known !== undefined && this.#freshness.holds(known.edition);
    return holds && isAlive(known.session, this.#parts.clock.now()) ? known : undefined;
  }

  async #bySession(digest: string): Promise<Caller> {
    const caller = await this.#find(digest);
    if (caller === undefined) throw hasEnded('session');
    this.#touch(digest);
    return caller;
  }

  async #find(digest: string): Promise<Caller | undefined> {
    const { result: found, edition } = await this.#reads.read(digest);
    const now = this.#parts.clock.now();
    this.#remembered.delete(digest);
    if (found === undefined) return undefined;
    const { session, account } = found;
    if (!isAlive(session, now) || !isActive(account)) return undefined;
    const caller = {
      ...callerOf(account),
      session: {
        digest,
        isByLink: session.byLink,
        begunAt: session.confirmedAt ?? session.createdAt,
        byProvider:
          session.provider === undefined ? undefined : { name: session.provider, at: session.createdAt },
        factorAt: session.factorAt,
        lacksFactor: lacksFactor(found),
      },
    };
    if (!stillStands(session.standing, caller)) return undefined;
    const until = Math.max(session.usedAt, now - touchEveryMs) + touchEveryMs;
    this.#remembered.set(digest, { session, caller, edition, until });
    return caller;
  }

  /** Runs beside the call, whose answer does not wait for it. */
  #touch(digest: string): void {
    const { store, clock, log } = this.#parts;
    const now = clock.now();
    const known = this.#remembered.get(digest);
    if (known === undefined || now - known.session.usedAt < touchEveryMs) return;
    const session = { ...known.session, usedAt: now };
    this.#remembered.set(digest, { ...known, session, until: now + touchEveryMs });
    const failed = (error: unknown) => log.warn({ error }, 'the last use of a session could not be stored');
    store.write(touchSession, { digest, now }).catch(failed);
  }

  /** A caller whose password was right a moment ago, and who now gives a second factor. */
  async #byRightPassword(token: string): Promise<Caller> {
    const { secrets, store, clock } = this.#parts;
    const right = secrets.open<{ userId: number; passwordMark?: string }>('sign in', token, clock.now());
    const account = right && (await store.read(findAccountById, right.userId));
    if (account === undefined || !isActive(account)) throw hasEnded('step');
    const caller = callerOf(account);
    if (caller.passwordMark !== right?.passwordMark) throw hasEnded('step');
    return caller;
  }

  async #byLink(digest: string): Promise<Caller> {
    const account = await this.#parts.store.read(findLink, { digest, now: this.#parts.clock.now() });
    if (account === undefined || !isActive(account)) throw hasEnded('link');
    return callerOf(account);
  }
}

/** Whether the session's user must have a second factor, and gave none in it. An identity provider asks for its own. */
export function lacksFactor({
  session,
  account,
}: {
  readonly session: Pick<Session, 'factorAt' | 'provider'>;
  readonly account: Account;
}): boolean {
  return session.factorAt === undefined && session.provider === undefined && mustHaveFactor(account);
}

function admitted(
  { shownTo, toEnrol }: Pick<PageCredentials, 'shownTo' | 'toEnrol'>,
  caller: Caller,
): Caller {
  if (isOfPortal(caller.session) && caller.session.lacksFactor === true && toEnrol !== true)
    throw factorMissing();
  return asShownTo(shownTo, caller);
}

export function factorMissing(): ServiceError {
  return new ServiceError('factor_missing', { sentence: 'factor_missing' });
}

/** Refuses a page that was loaded for somebody else. */
export function asShownTo<Admitted extends { readonly username: string }>(
  shownTo: string | undefined,
  caller: Admitted,
): Admitted {
  if (shownTo === undefined || shownTo === encodeURIComponent(caller.username)) return caller;
  throw new ServiceError('other_session', { sentence: 'other_session', user: caller.username });
}

/** The sessions with which the user can go on, most recently used first. */
export async function openSessionsOf({ store, clock }: Context, userId: number): Promise<readonly Session[]> {
  const account = await store.read(findAccountById, userId);
  if (account === undefined || !isActive(account)) return [];
  const now = clock.now();
  const sessions = await store.read(listSessions, { userId, now });
  return sessions.filter((one) => isAlive(one, now) && stillStands(one.standing, callerOf(account)));
}

const endings = { session: 'session_ended', link: 'link_used', step: 'step_over' } as const;

export function hasEnded(kind: keyof typeof endings): ServiceError {
  return new ServiceError('unauthorised', { sentence: endings[kind] });
}
