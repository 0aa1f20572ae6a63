/**
 * Identity providers for tests: npm's `oidc-provider`, which is not ours, with pages of its own; and one that lies as a test
 * tells it to.
 */
import { createHash, createSign, generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export const clientId = 'carillon';
export const clientSecret = 'a secret between the two, long enough';

export type Claims = Readonly<Record<string, unknown>>;

interface Served {
  readonly issuer: string;
  close(): Promise<void>;
}

async function serve(handle: RequestListener): Promise<Served & { readonly server: Server }> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    server,
    issuer: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface RealProvider extends Served {
  /** Has to be called once the address of the server under test is known. */
  knows(baseUrl: string): void;
}

/** `people`: what the provider says of somebody, by the name with which they sign in there; any password is right. */
export async function startRealProvider(people: Readonly<Record<string, Claims>>): Promise<RealProvider> {
  let answer: RequestListener = (_, response) => response.writeHead(503).end();
  const served = await serve((request, response) => answer(request, response));
  return {
    ...served,
    knows(baseUrl) {
      const provider = new Provider(served.issuer, {
        clients: [
          {
            client_id: clientId,
            client_secret: clientSecret,
            redirect_uris: [`${baseUrl}/portal/oidc/callback`],
            post_logout_redirect_uris: [`${baseUrl}/portal/`],
          },
        ],
        claims: {
          openid: ['sub'],
          profile: ['preferred_username'],
          email: ['email', 'email_verified'],
          groups: ['groups'],
        },
        cookies: { keys: ['of this test'] },
        findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, ...people[sub] }) }),
      });
      const callback = provider.callback();
      answer = (request, response) => void callback(request, response);
    },
  };
}

/** What a provider that lies says, instead of what would be right. */
export interface Lies {
  /** In the token. */
  readonly claims?: Claims;
  /** Where the endpoint is asked, in place of its answer. */
  readonly instead?: Readonly<
    Record<string, { readonly status: number; readonly type?: string; readonly body: string }>
  >;
  /** Signed with a key that it does not publish. */
  readonly forged?: boolean;
}

export interface LyingProvider extends Served {
  lies: Lies;
  /** Calls at its token endpoint so far. */
  readonly redeemed: number;
  /** The answer to an authorization request: where the browser is sent back to. */
  approve(authorization: URL): URL;
}

export async function startLyingProvider(person: Claims): Promise<LyingProvider> {
  const honest = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const other = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const requests = new Map<string, URLSearchParams>();
  const state = { lies: {} as Lies, redeemed: 0 };
  const served = await serve((request, response) => {
    const path = new URL(request.url ?? '/', 'http://x').pathname;
    const instead = state.lies.instead?.[path];
    if (instead !== undefined) {
      response.writeHead(instead.status, { 'content-type': instead.type ?? 'text/html' }).end(instead.body);
      return;
    }
    void bodyOf(request).then((body) => {
      const json = JSON.stringify(answerAt(path, new URLSearchParams(body)));
      response.writeHead(200, { 'content-type': 'application/json' }).end(json);
    });
  });
  const { issuer } = served;
  const answerAt = (path: string, form: URLSearchParams): object => {
    if (path === '/keys')
      return {
        keys: [{ ...honest.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }],
      };
    if (path !== '/token')
      return {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        code_challenge_methods_supported: ['S256'],
      };
    state.redeemed += 1;
    const asked = requests.get(form.get('code') ?? '');
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (asked?.get('code_challenge') !== verifier) return { error: 'invalid_grant' };
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: issuer,
      aud: clientId,
      iat: now,
      exp: now + 300,
      auth_time: now,
      nonce: asked.get('nonce'),
      ...person,
      ...state.lies.claims,
    };
    const key = state.lies.forged === true ? other.privateKey : honest.privateKey;
    const content = [{ alg: 'RS256', kid: 'one' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const signature = createSign('RSA-SHA256').update(content).sign(key, 'base64url');
    return { access_token: 'at', token_type: 'Bearer', id_token: `${content}.${signature}` };
  };
  return {
    ...served,
    get lies() {
      return state.lies;
    },
    set lies(lies) {
      state.lies = lies;
    },
    get redeemed() {
      return state.redeemed;
    },
    approve({ searchParams }) {
      const code = `code-${requests.size}`;
      requests.set(code, searchParams);
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', searchParams.get('state') ?? '');
      return back;
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}
