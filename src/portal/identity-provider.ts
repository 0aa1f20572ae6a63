/**
 * Speaks with identity providers (OpenID Connect Core 1.0, authorization code flow with PKCE, RFC 7636). If a sign-in fails,
 * the user gets a reason, and the log says more.
 */
import * as oidc from 'openid-client';
import { type IdentityProvider, isLocalHost, placeOfClientSecret } from '../accounts/identity-providers.ts';
import { type Role, roles } from '../accounts/role.ts';
import type { Sealing } from '../foundation/sealing.ts';
import type { Identity } from './provider-store.ts';

/**
 * Why a provider has not vouched for the user: it can't be reached; it refuses, or the user has cancelled; what it says does
 * not hold; it does not name the user; or it has not verified the name.
 */
export type ProviderFailure = 'unreachable' | 'declined' | 'invalid' | 'no_username' | 'not_verified';

export class ProviderError extends Error {
  readonly failure: ProviderFailure;

  constructor(failure: ProviderFailure, cause?: unknown) {
    super(failure, { cause });
    this.failure = failure;
  }
}

/** What is kept in the browser while its user is at the provider. */
export interface Attempt {
  readonly provider: string;
  readonly state: string;
  readonly nonce: string;
  /** RFC 7636, section 4.1. */
  readonly verifier: string;
  /** Whether a user who is signed in proves again who they are. */
  readonly confirms: boolean;
  /** The page to open afterwards, below `/portal`. */
  readonly to: string;
  readonly endsAt: number;
}

export interface Vouched {
  readonly identity: Identity;
  /** In milliseconds since the epoch; 0 if the provider does not say. */
  readonly confirmedAt: number;
}

const timeoutS = 10;
/** No answer of a provider is larger. */
const maxAnswerOctets = 1_048_576;
/** Endpoints and keys of a provider seldom change. */
const rememberedMs = 3_600_000;
/** A user who confirms who they are must have proved it to the provider at most this long ago. */
const confirmedS = 300;

interface Known {
  readonly client: Promise<oidc.Configuration>;
  readonly settings: IdentityProvider;
  readonly readAt: number;
}

export class IdentityProviders {
  readonly #sealing: Sealing;
  readonly #known = new Map<string, Known>();

  constructor(sealing: Sealing) {
    this.#sealing = sealing;
  }

  /** The address at which the provider asks the user who they are. */
  async addressFor(
    provider: IdentityProvider,
    { state, nonce, verifier, confirms }: Attempt,
    redirectUri: string,
  ): Promise<URL> {
    const client = await this.#clientOf(provider);
    return oidc.buildAuthorizationUrl(client, {
      redirect_uri: redirectUri,
      scope: ['openid', ...provider.scopes].join(' '),
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      ...(confirms ? { max_age: String(confirmedS) } : {}),
    });
  }

  /** Redeems the code in the address to which the provider has sent the user back. */
  async redeem(provider: IdentityProvider, attempt: Attempt, address: URL): Promise<Vouched> {
    const client = await this.#clientOf(provider);
    try {
      const tokens = await oidc.authorizationCodeGrant(client, address, {
        pkceCodeVerifier: attempt.verifier,
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        idTokenExpected: true,
        ...(attempt.confirms ? { maxAge: confirmedS } : {}),
      });
      const claims: Claims = tokens.claims() ?? {};
      const subject = claims.sub;
      if (typeof subject !== 'string' || !/^[^\p{Cc}\p{Cs}]{1,255}$/u.test(subject))
        throw new ProviderError('invalid');
      const wanted = [provider.username, ...(provider.roles === undefined ? [] : [provider.roles.claim])];
      // Many providers keep claims such as the address out of the token.
      const isWhole = wanted.every((name) => claims[name] !== undefined);
      const more: Claims =
        isWhole || client.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await oidc.fetchUserInfo(client, tokens.access_token, subject);
      return vouchedBy(provider, subject, Object.assign({}, more, claims));
    } catch (error) {
      throw asProviderError(error);
    }
  }

  /** Where the user signs out at the provider too; undefined if it has no such page, or can't be asked. */
  async signOutAddress(provider: IdentityProvider, returnTo: string): Promise<string | undefined> {
    try {
      const client = await this.#clientOf(provider);
      if (client.serverMetadata().end_session_endpoint === undefined) return undefined;
      return oidc.buildEndSessionUrl(client, { post_logout_redirect_uri: returnTo }).href;
    } catch (error) {
      if (error instanceof ProviderError) return undefined;
      throw error;
    }
  }

  async #clientOf(provider: IdentityProvider): Promise<oidc.Configuration> {
    const known = this.#known.get(provider.name);
    const isFresh = known !== undefined && performance.now() - known.readAt < rememberedMs;
    if (isFresh && JSON.stringify(known.settings) === JSON.stringify(provider)) return known.client;
    const client = this.#discover(provider);
    const own = { client, settings: provider, readAt: performance.now() };
    this.#known.set(provider.name, own);
    // The next user asks again.
    client.catch(() => {
      if (this.#known.get(provider.name) === own) this.#known.delete(provider.name);
    });
    return client;
  }

  async #discover(provider: IdentityProvider): Promise<oidc.Configuration> {
    const { name, issuer, clientId, clientSecret: sealed } = provider;
    const secret = sealed && this.#sealing.open(sealed, placeOfClientSecret(name));
    // Sealed under another secret of the server.
    if (sealed !== undefined && secret === undefined) throw new ProviderError('invalid');
    const server = new URL(issuer);
    try {
      return await oidc.discovery(
        server,
        clientId,
        undefined,
        secret === undefined ? oidc.None() : authenticatedBy(secret),
        {
          timeout: timeoutS,
          [oidc.customFetch]: boundedFetch,
          // The signature of a token is checked although it came over TLS.
          execute: [
            oidc.enableNonRepudiationChecks,
            ...(isLocalHost(server.hostname) ? [oidc.allowInsecureRequests] : []),
          ],
        },
      );
    } catch (error) {
      throw asProviderError(error);
    }
  }
}

/** As the provider takes it (OpenID Connect Core 1.0, section 9); the first way is the default. */
function authenticatedBy(secret: string): oidc.ClientAuth {
  const inHeader = oidc.ClientSecretBasic(secret);
  const inBody = oidc.ClientSecretPost(secret);
  return (server, ...call) => {
    const taken = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (taken.includes('client_secret_basic') ? inHeader : inBody)(server, ...call);
  };
}

/** A provider's answer is read up to a limit, and no redirect is followed. */
const boundedFetch: oidc.CustomFetch = async (url, options) => {
  const answer = await fetch(url, options as RequestInit);
  const chunks: Uint8Array[] = [];
  let octets = 0;
  for await (const chunk of answer.body ?? []) {
    octets += chunk.length;
    if (octets > maxAnswerOctets) throw new ProviderError('invalid');
    chunks.push(chunk);
  }
  const hasBody = ![101, 204, 205, 304].includes(answer.status);
  const { status, statusText, headers } = answer;
  return new Response(hasBody ? Buffer.concat(chunks) : null, { status, statusText, headers });
};

type Claims = Readonly<Record<string, unknown>>;

function vouchedBy(provider: IdentityProvider, subject: string, claims: Claims): Vouched {
  const username = claims[provider.username];
  if (typeof username !== 'string' || username === '') throw new ProviderError('no_username');
  // OpenID Connect Core 1.0, section 5.7: an address that is not verified may be anybody's.
  if (provider.username === 'email' && [false, 'false'].includes(claims.email_verified as never))
    throw new ProviderError('not_verified');
  const identity = { issuer: provider.issuer, subject, username, roles: rolesOf(provider, claims) };
  const confirmedAt = typeof claims.auth_time === 'number' ? Math.trunc(claims.auth_time) * 1_000 : 0;
  return { identity, confirmedAt };
}

/** A claim may have one value or a list of them. */
function rolesOf({ roles: claimed }: IdentityProvider, claims: Claims): readonly Role[] | undefined {
  if (claimed === undefined) return undefined;
  const values = [claims[claimed.claim]].flat();
  const given = new Set(
    values.flatMap((value) =>
      typeof value === 'string' && Object.hasOwn(claimed.map, value) ? (claimed.map[value] ?? []) : [],
    ),
  );
  return roles.filter((role) => given.has(role));
}

function asProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof oidc.AuthorizationResponseError) return new ProviderError('declined', error);
  const cause = error instanceof Error && error.cause instanceof ProviderError ? error.cause : undefined;
  if (cause !== undefined) return cause;
  return new ProviderError(isOutage(error) ? 'unreachable' : 'invalid', error);
}

/** No answer, or an answer that says that the provider is out of order. */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'AbortError' || error.name === 'TimeoutError' || error instanceof TypeError) return true;
  const { code, status, cause } = error as { code?: unknown; status?: unknown; cause?: unknown };
  if (code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT') return true;
  const answered = cause instanceof Response ? cause.status : status;
  if (typeof answered === 'number') return answered >= 500;
  return isOutage(cause);
}
