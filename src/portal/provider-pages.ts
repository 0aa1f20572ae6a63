/**
 * Sign-in with an identity provider, as addresses that a browser opens:
 *
 *   /portal/oidc/entra ──▶ the provider ──▶ /portal/oidc/callback?code=… ──▶ /portal/
 *
 * Nothing is stored before the provider has vouched for a user: what the callback needs is sealed in a cookie, which also
 * proves that the sign-in was begun in the same browser.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as oidc from 'openid-client';
import type { Logger } from 'pino';
import type { Caller } from '../accounts/caller.ts';
import type { FactorAttempts } from '../accounts/factor-attempts.ts';
import { Freshness, FreshReads } from '../accounts/fresh-reads.ts';
import { type IdentityProvider, listProviders } from '../accounts/identity-providers.ts';
import { isOfPortal } from '../audit/audit-log.ts';
import { Budget } from '../foundation/budget.ts';
import { timeIn } from '../foundation/clock.ts';
import { ServiceError } from '../foundation/errors.ts';
import type { FairLimits } from '../foundation/fair-queue.ts';
import type { Sealing } from '../foundation/sealing.ts';
import type { SecurityEvents } from '../foundation/security-log.ts';
import { cookieOf, cookieWith, sessionCookie, sessionTokenOf } from '../http/credentials/session-cookie.ts';
import { networkOf, type RequestOrigin } from '../http/origin.ts';
import { contextOf } from '../http/request-context.ts';
import type { News } from '../storage/news.ts';
import type { Store } from '../storage/store.ts';
import { type Attempt, IdentityProviders, ProviderError, type ProviderFailure } from './identity-provider.ts';
import type { Refusal } from './provider-store.ts';
import type { Sessions } from './sessions.ts';
import { end, type SignIn, signInByProvider } from './sign-in.ts';

/** Why a sign-in ended without a session; the sign-in page has a sentence for each. */
export type SignInFailure = Refusal | ProviderFailure | 'over' | 'busy' | 'no_provider';

/** What the pages know of a provider. */
export interface ShownProvider {
  readonly name: string;
  readonly label: string;
}

interface ProviderServices extends SignIn {
  readonly sealing: Sealing;
  readonly sessions: Sessions;
  readonly security: SecurityEvents;
  /** Bounds how many sign-ins of a network may fail. */
  readonly providerAttempts: FactorAttempts;
  readonly log: Logger;
  /** Without a slash at its end. */
  readonly publicUrl: () => string;
  readonly pathPrefix: string;
}

const attemptMs = 600_000;
const attemptName = 'carillon-oidc';
const sealedIn = ['sign-in with an identity provider'];
const maxToLength = 500;

/** Each sign-in under way may hold a call to the provider for seconds. */
const maxConcurrent: FairLimits = { inAll: 100, ofOwner: 10, ofMember: 10 };

export class ProviderPages {
  readonly #services: ProviderServices;
  readonly #providers: IdentityProviders;
  readonly #underWay = new Budget(maxConcurrent);
  readonly #known: KnownProviders;

  constructor(services: ProviderServices) {
    this.#services = services;
    this.#providers = new IdentityProviders(services.sealing);
    this.#known = new KnownProviders(services.store, services.news);
  }

  /** Providers that the sign-in page offers to everybody. */
  async shown(): Promise<readonly ShownProvider[]> {
    const all = await this.#known.all();
    return [...all.values()].filter(({ shown }) => shown).map(({ name, label }) => ({ name, label }));
  }

  async named(name: string): Promise<ShownProvider | undefined> {
    const found = (await this.#known.all()).get(name);
    return found && { name, label: found.label };
  }

  /** Where a user whose session was begun by the provider signs out there too. */
  async signOutAddress(name: string): Promise<string | undefined> {
    const found = (await this.#known.all()).get(name);
    return found && this.#providers.signOutAddress(found, `${this.#services.publicUrl()}/portal/`);
  }

  add(app: FastifyInstance): void {
    app.get<{ Params: { name: string }; Querystring: Record<string, unknown> }>(
      '/portal/oidc/:name',
      (request, reply) => {
        if (request.params.name === 'callback') return this.#finish(request, reply);
        return this.#begin(request, reply, request.params.name, request.query);
      },
    );
  }

  async #begin(
    request: FastifyRequest,
    reply: FastifyReply,
    name: string,
    query: Readonly<Record<string, unknown>>,
  ): Promise<FastifyReply> {
    const { origin } = contextOf(request.raw);
    const provider = (await this.#known.all()).get(name);
    if (provider === undefined) return this.#failed(reply, 'no_provider');
    const attempt: Attempt = {
      provider: name,
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
      confirms: query.confirm !== undefined,
      to: pageIn(query.to),
      endsAt: timeIn(this.#services.clock, attemptMs),
    };
    return this.#guarded(request, reply, { provider, isBack: false }, async () => {
      const address = await this.#providers.addressFor(provider, attempt, this.#redirectUri());
      const sealed = this.#services.sealing.seal(JSON.stringify(attempt), sealedIn);
      return reply
        .header('set-cookie', attemptCookie(sealed, origin))
        .header('cache-control', 'no-store')
        .redirect(address.href, 303);
    });
  }

  async #finish(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { raw } = request;
    const { origin } = contextOf(raw);
    // A code works once, and so does the attempt.
    reply.header('set-cookie', attemptCookie(undefined, origin));
    const attempt = this.#attemptIn(cookieOf(raw.headers, attemptName, origin.isHttps));
    const provider = attempt && (await this.#known.all()).get(attempt.provider);
    if (attempt === undefined || provider === undefined) return this.#failed(reply, 'over');
    return this.#guarded(request, reply, { provider, isBack: true }, async () => {
      if (await this.#isLocked(origin.address)) return this.#failed(reply, 'busy');
      const before = await this.#callerOf(request, origin);
      const query = raw.url?.slice(raw.url.indexOf('?')) ?? '';
      const address = new URL(`${this.#redirectUri()}${query.startsWith('?') ? query : ''}`);
      const vouched = await this.#providers.redeem(provider, attempt, address);
      const place = { address: origin.address, browser: raw.headers['user-agent'] ?? '' };
      const confirms = attempt.confirms ? before?.userId : undefined;
      const begun = await signInByProvider(this.#services, { provider, ...vouched, confirms }, place);
      if (typeof begun === 'string') {
        this.#services.providerAttempts.fail({ username: '', address: origin.address }, begun);
        return this.#failed(reply, begun);
      }
      if (before !== undefined && isOfPortal(before.session))
        await end(this.#services, before, { digest: before.session.digest });
      return reply
        .header('set-cookie', sessionCookie(begun.token, 'carillon', origin.isHttps))
        .header('cache-control', 'no-store')
        .redirect(`${this.#services.pathPrefix}/portal${attempt.to}`, 303);
    });
  }

  /** `isBack`: whether the provider has sent the user back. Each network has a bounded share of the calls to providers that are under way. */
  async #guarded(
    request: FastifyRequest,
    reply: FastifyReply,
    { provider: { name }, isBack }: { readonly provider: IdentityProvider; readonly isBack: boolean },
    act: () => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    const { address } = contextOf(request.raw).origin;
    try {
      const done = await this.#underWay.run(act, networkOf(address));
      return done ?? this.#failed(reply, 'busy');
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      const { log, security, providerAttempts } = this.#services;
      log.warn(
        { provider: name, error: error.cause },
        `a sign-in with an identity provider failed: ${error.failure}`,
      );
      const reason = `identity provider: ${error.failure}`;
      // A provider that is out of order must not lock out the users of a network: before they come back, nothing else fails.
      if (error.failure === 'unreachable' || !isBack)
        security.record({ event: 'login_failed', address, channel: 'http', method: 'provider', reason });
      else providerAttempts.fail({ username: '', address }, reason);
      return this.#failed(reply, error.failure);
    }
  }

  /** Whether too many sign-ins from the network have failed: a stolen attempt could otherwise be tried without end. */
  async #isLocked(address: string): Promise<boolean> {
    try {
      await this.#services.providerAttempts.recall({ username: '', address });
      return false;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'too_many_attempts') return true;
      throw error;
    }
  }

  /** The sign-in page reads the reason from the part of the address that no log has. */
  #failed(reply: FastifyReply, why: SignInFailure): FastifyReply {
    return reply
      .header('cache-control', 'no-store')
      .redirect(`${this.#services.pathPrefix}/portal/#provider=${why}`, 303);
  }

  #attemptIn(sealed: string | undefined): Attempt | undefined {
    const opened = sealed && this.#services.sealing.open(sealed, sealedIn);
    if (!opened) return undefined;
    const attempt = JSON.parse(opened) as Attempt;
    return this.#services.clock.now() < attempt.endsAt ? attempt : undefined;
  }

  /** Whose session the browser has at present. */
  async #callerOf({ raw }: FastifyRequest, { isHttps }: RequestOrigin): Promise<Caller | undefined> {
    const token = sessionTokenOf(raw.headers, 'carillon', isHttps);
    if (token === undefined) return undefined;
    return this.#services.sessions.callerOf(token);
  }

  #redirectUri(): string {
    return `${this.#services.publicUrl()}/portal/oidc/callback`;
  }
}

/** A page of the portal; its front page for anything else. */
function pageIn(to: unknown): string {
  const isPage =
    typeof to === 'string' && to.length <= maxToLength && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(to);
  return isPage ? to : '/';
}

/** Also sent with the callback, to which the provider's page leads (`SameSite=Lax`). */
function attemptCookie(sealed: string | undefined, { isHttps }: RequestOrigin): string {
  return cookieWith(sealed, attemptName, attemptMs / 1_000, isHttps);
}

/** Held in memory until news reports a change. */
class KnownProviders {
  readonly #freshness: Freshness;
  readonly #reads: FreshReads<'all', ReadonlyMap<string, IdentityProvider>>;
  #last: { readonly result: ReadonlyMap<string, IdentityProvider>; readonly edition: number } | undefined;

  constructor(store: Store, news: News) {
    this.#freshness = new Freshness(news, 'providers');
    this.#reads = new FreshReads(this.#freshness, async () => {
      const all = await store.read(listProviders, null);
      return new Map(all.map((one) => [one.name, one]));
    });
  }

  async all(): Promise<ReadonlyMap<string, IdentityProvider>> {
    if (this.#last !== undefined && this.#freshness.holds(this.#last.edition)) return this.#last.result;
    this.#last = await this.#reads.read('all');
    return this.#last.result;
  }
}
