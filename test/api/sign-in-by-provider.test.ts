/** Tests sign-in with an identity provider, against one that is not ours and one that lies. */
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import {
  clientId,
  clientSecret,
  type LyingProvider,
  type RealProvider,
  startLyingProvider,
  startRealProvider,
} from '../harness/identity-provider.ts';

const people = {
  'subject-anna': {
    preferred_username: 'anna@care.example',
    email: 'anna@care.example',
    email_verified: true,
    groups: ['alarm-admins'],
  },
};

const provisioningFor = (real: RealProvider, lying: LyingProvider) => `
companies:
  - name: Nordic Care
    users:
      - { username: alice, password: "alice's long password", roles: [companyAdmin] }
      - { username: closed@care.example, active: false, roles: [send] }
  - name: Others
    users:
      - { username: olle, password: "olle's long password", roles: [companyAdmin] }
oidc:
  - name: real
    company: Nordic Care
    label: Care & Co
    issuer: ${real.issuer}
    clientId: ${clientId}
    clientSecret: "${clientSecret}"
    scopes: [profile, email, groups]
    roles: { claim: groups, map: { alarm-admins: [companyAdmin, send], alarm-staff: [send] } }
    create: true
    shown: true
  - name: lying
    company: Nordic Care
    issuer: ${lying.issuer}
    clientId: ${clientId}
    clientSecret: "${clientSecret}"
    username: email
    create: false
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
`;

/** Follows redirects as a browser does, with the cookies of each server. */
class Walker {
  readonly #cookies = new Map<string, Map<string, string>>();

  async ask(address: string | URL, form?: Readonly<Record<string, string>>) {
    const url = new URL(address);
    const jar = this.#cookies.get(url.host) ?? new Map<string, string>();
    this.#cookies.set(url.host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    // Node's `fetch` would replace the header that says that a browser shows the page.
    const answer = await request(url, {
      headers: {
        cookie,
        'sec-fetch-site': 'cross-site',
        'sec-fetch-mode': 'navigate',
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form === undefined ? {} : { method: 'POST', body: String(new URLSearchParams(form)) }),
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [pair = ''] = line.split(';');
      const equals = pair.indexOf('=');
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(pair.slice(0, equals));
      else jar.set(pair.slice(0, equals), pair.slice(equals + 1));
    }
    const { location } = answer.headers;
    return {
      status: answer.statusCode,
      to: typeof location === 'string' ? new URL(location, url) : undefined,
      text: await answer.body.text(),
    };
  }

  /** Until there is a page without a redirect. Returns its address and text. */
  async follow(address: string | URL) {
    let url = new URL(address);
    for (let step = 0; step < 15; step++) {
      const answer = await this.ask(url);
      if (answer.to === undefined) return { url, text: answer.text };
      url = answer.to;
    }
    throw new Error('too many redirects');
  }

  cookie(host: string): string {
    return [...(this.#cookies.get(host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}

describe('sign-in with an identity provider', () => {
  let real: RealProvider;
  let lying: LyingProvider;
  let app: WholeApp;
  let walker: Walker;

  beforeAll(async () => {
    real = await startRealProvider(people);
    lying = await startLyingProvider({ sub: 'subject-eva', email: 'alice', email_verified: true });
    app = await startWholeApp({ engine: 'sqlite', provisioning: provisioningFor(real, lying) });
    real.knows(app.baseUrl);
  });
  afterAll(async () => {
    await app?.close();
    await Promise.all([real?.close(), lying?.close()]);
  });
  beforeEach(() => {
    walker = new Walker();
    lying.lies = {};
  });

  const portal = (path: string) => `${app.baseUrl}/portal/${path}`;
  const session = async (by = walker) => {
    const host = new URL(app.baseUrl).host;
    const answer = await fetch(portal('api/session'), {
      headers: { cookie: by.cookie(host), 'sec-fetch-site': 'same-origin' },
    });
    return answer.status === 200
      ? ((await answer.json()) as { username: string; roles: string[]; provider: unknown })
      : answer.status;
  };

  /** Signs in at the real provider's own pages. */
  const signInAtReal = async (login: string, by = walker) => {
    let page = await by.follow(portal('oidc/real?to=/messages'));
    while (page.url.origin === real.issuer) {
      const action = /action="([^"]+)"/.exec(page.text)?.[1] ?? '';
      const prompt = /name="prompt" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
      const sent = await by.ask(new URL(action, page.url), { prompt, login, password: 'any' });
      page = await by.follow(sent.to as URL);
    }
    return page.url;
  };

  /** Where a sign-in at the lying provider ends. */
  const signInAtLiar = async () => {
    const begun = await walker.ask(portal('oidc/lying'));
    if (begun.to?.origin !== lying.issuer) return begun.to?.href;
    return (await walker.ask(lying.approve(begun.to))).to?.href;
  };
  const failedBy = (why: string) => portal(`#provider=${why}`);

  test('[PORT-12] A user who is unknown here is made at the first sign-in with the roles of the groups, and led to the page asked for', async () => {
    expect((await signInAtReal('subject-anna')).href).toBe(portal('messages'));
    expect(await session()).toMatchObject({
      username: 'anna@care.example',
      roles: expect.arrayContaining(['companyAdmin', 'send']),
      provider: { name: 'real', label: 'Care & Co' },
    });
    const acts = await app.as({ username: 'alice', password: "alice's long password" }).get('/api/v1/audit');
    expect(
      acts.body.entries.map(({ act, username }: { act: string; username: string }) => [act, username]),
    ).toEqual(
      expect.arrayContaining([
        ['user.make', 'anna@care.example'],
        ['session.begin', 'anna@care.example'],
      ]),
    );
  });

  test('[PORT-12] At a later sign-in the roles follow the groups, the user stays the same whatever the name is, and no group gives no session', async () => {
    const anna = people['subject-anna'] as Record<string, unknown>;
    anna.groups = ['alarm-staff'];
    anna.preferred_username = 'anna.married@care.example';
    await signInAtReal('subject-anna');
    expect(await session()).toMatchObject({ username: 'anna@care.example', roles: ['send'] });
    anna.groups = ['gardeners'];
    expect((await signInAtReal('subject-anna', new Walker())).href).toBe(failedBy('no_role'));
  });

  test('[PORT-12] Signing out leads to the provider’s own sign-out', async () => {
    (people['subject-anna'] as Record<string, unknown>).groups = ['alarm-staff'];
    await signInAtReal('subject-anna');
    const answer = await fetch(portal('api/session'), {
      method: 'DELETE',
      headers: {
        cookie: walker.cookie(new URL(app.baseUrl).host),
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
      },
    });
    const { next } = (await answer.json()) as { next: string };
    expect(new URL(next).origin).toBe(real.issuer);
    expect(new URL(next).searchParams.get('post_logout_redirect_uri')).toBe(portal(''));
    expect(await session()).toBe(401);
  });

  test('[PORT-12] The sign-in page offers the providers for everybody, and no others', async () => {
    const html = await (await fetch(portal(''))).text();
    expect(html).toContain(
      'content="[{&quot;name&quot;:&quot;real&quot;,&quot;label&quot;:&quot;Care &amp; Co&quot;}]"',
    );
    expect(html).not.toContain('lying');
  });

  test('[PORT-12] A subject is tied to the user whom it named first: another subject of that name is refused', async () => {
    expect(await signInAtLiar()).toBe(portal(''));
    expect(await session()).toMatchObject({ username: 'alice', roles: ['companyAdmin'] });
    lying.lies = { claims: { sub: 'subject-mallory' } };
    expect(await signInAtLiar()).toBe(failedBy('other_identity'));
  });

  test.each([
    ['another issuer', { iss: 'https://elsewhere.example' }, 'invalid'],
    ['another audience', { aud: 'somebody-else' }, 'invalid'],
    ['another nonce', { nonce: 'of another sign-in' }, 'invalid'],
    ['a token that is over', { exp: 1_000_000 }, 'invalid'],
    ['no subject', { sub: undefined }, 'invalid'],
    ['a subject longer than any', { sub: 'x'.repeat(256) }, 'invalid'],
    ['no mail address', { email: undefined }, 'no_username'],
    ['a mail address that is not verified', { email_verified: false }, 'not_verified'],
    ['the same in a word', { email_verified: 'false' }, 'not_verified'],
    ['a user of another company', { sub: 'olle', email: 'olle' }, 'unknown_user'],
    ['an unknown user', { sub: 'x', email: 'x@care.example' }, 'unknown_user'],
    ['a closed user', { sub: 'closed', email: 'closed@care.example' }, 'closed'],
  ])('[PORT-12] A provider that tells of %s signs nobody in', async (_, claims, why) => {
    lying.lies = { claims };
    expect(await signInAtLiar()).toBe(failedBy(why));
    expect(await session()).toBe(401);
  });

  test('[PORT-12] A token with a signature of another key signs nobody in', async () => {
    lying.lies = { forged: true };
    expect(await signInAtLiar()).toBe(failedBy('invalid'));
  });

  test.each([
    ['answers 500', { status: 500, body: 'out of order' }, 'unreachable'],
    ['answers HTML', { status: 200, body: '<h1>Welcome</h1>' }, 'invalid'],
    [
      'answers without end',
      { status: 200, type: 'application/json', body: ' '.repeat(1_100_000) },
      'invalid',
    ],
    ['redirects', { status: 302, body: '' }, 'invalid'],
  ])('[PORT-12] A token endpoint that %s signs nobody in', async (_, answer, why) => {
    lying.lies = { instead: { '/token': answer } };
    expect(await signInAtLiar()).toBe(failedBy(why));
  });

  test('[PORT-12] A code works once, in the browser that began, and with its own state', async () => {
    const begun = await walker.ask(portal('oidc/lying'));
    const back = lying.approve(begun.to as URL);
    const before = lying.redeemed;
    expect((await new Walker().ask(back)).to?.href).toBe(failedBy('over'));
    const foreign = new URL(back);
    foreign.searchParams.set('state', 'of another sign-in');
    const other = new Walker();
    await other.ask(portal('oidc/lying'));
    expect((await other.ask(foreign)).to?.href).toBe(failedBy('invalid'));
    expect(lying.redeemed).toBe(before);
    expect((await walker.ask(back)).to?.href).toBe(portal(''));
    expect((await walker.ask(back)).to?.href).toBe(failedBy('over'));
    expect(lying.redeemed).toBe(before + 1);
  });

  test('[PORT-12] A user who cancels at the provider is told so; an unknown provider has no page', async () => {
    const begun = await walker.ask(portal('oidc/lying'));
    const back = lying.approve(begun.to as URL);
    back.searchParams.delete('code');
    back.searchParams.set('error', 'access_denied');
    expect((await walker.ask(back)).to?.href).toBe(failedBy('declined'));
    expect((await walker.ask(portal('oidc/nobody'))).to?.href).toBe(failedBy('no_provider'));
  });

  test('[PORT-12] Nobody is led to another site by a sign-in', async () => {
    for (const to of ['//evil.example', '/\\evil.example', 'https://evil.example', `/${'x'.repeat(600)}`]) {
      const begun = await walker.ask(portal(`oidc/lying?to=${encodeURIComponent(to)}`));
      expect((await walker.ask(lying.approve(begun.to as URL))).to?.href).toBe(portal(''));
    }
  });

  test('[PORT-12] [AUTH-10] A session by a provider makes users only after the user has proved again who they are', async () => {
    lying.lies = { claims: { auth_time: Math.floor(Date.now() / 1_000) - 3_600 } };
    await signInAtLiar();
    const makeUser = (name: string) =>
      fetch(`${app.baseUrl}/api/v1/users`, {
        method: 'POST',
        headers: {
          cookie: walker.cookie(new URL(app.baseUrl).host),
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ name, roles: [] }),
      }).then(({ status }) => status);
    expect(await makeUser('first')).toBe(403);
    const stale = await walker.ask(portal('oidc/lying?confirm=1&to=/admin/users'));
    expect((await walker.ask(lying.approve(stale.to as URL))).to?.href).toBe(failedBy('invalid'));
    lying.lies = {};
    const begun = await walker.ask(portal('oidc/lying?confirm=1&to=/admin/users'));
    expect(begun.to?.searchParams.get('max_age')).toBe('300');
    expect((await walker.ask(lying.approve(begun.to as URL))).to?.href).toBe(portal('admin/users'));
    expect(await makeUser('first')).toBe(201);
  });

  test('[PORT-12] A session that goes on with a password remains one of its provider, and ends no later', async () => {
    lying.lies = { claims: { auth_time: Math.floor(Date.now() / 1_000) - 3_600 } };
    await signInAtLiar();
    const headers = () => ({
      cookie: walker.cookie(new URL(app.baseUrl).host),
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
    });
    const current = async (cookie = headers().cookie) => {
      const answer = await fetch(portal('api/sessions'), { headers: { ...headers(), cookie } });
      const { sessions } = (await answer.json()) as { sessions: { current: boolean; created: string }[] };
      return sessions.find((one) => one.current)?.created;
    };
    const before = await current();
    const body = JSON.stringify({ password: "alice's long password" });
    const confirmed = await fetch(portal('api/session/confirm'), {
      method: 'POST',
      headers: headers(),
      body,
    });
    expect(confirmed.status).toBe(200);
    const cookie = (confirmed.headers.get('set-cookie') ?? '').split(';')[0];
    expect(await current(cookie)).toBe(before);
    const again = await fetch(portal('api/session'), { headers: { ...headers(), cookie: cookie ?? '' } });
    expect(await again.json()).toMatchObject({ username: 'alice', provider: { name: 'lying' } });
    const made = await fetch(`${app.baseUrl}/api/v1/users`, {
      method: 'POST',
      headers: { ...headers(), cookie: cookie ?? '' },
      body: JSON.stringify({ name: 'second', roles: [] }),
    });
    expect(made.status).toBe(201);
  });

  test('[PORT-12] A provider that is down is told of at once, and asked again at the next sign-in', async () => {
    const { issuer } = lying;
    await app.apply(
      `oidc:\n  - { name: down, issuer: "http://127.0.0.1:1", clientId: c }\n  - { name: again, issuer: "${issuer}", clientId: ${clientId}, clientSecret: "${clientSecret}", username: email }`,
    );
    await until(async () => (await walker.ask(portal('oidc/down'))).to?.href === failedBy('unreachable'));
    lying.lies = { instead: { '/.well-known/openid-configuration': { status: 503, body: '' } } };
    expect((await walker.ask(portal('oidc/again'))).to?.href).toBe(failedBy('unreachable'));
    // However often users ask, that locks none of them out.
    lying.lies = {
      instead: { '/.well-known/openid-configuration': { status: 200, body: '<h1>Welcome</h1>' } },
    };
    for (let asked = 0; asked < 60; asked += 1)
      expect((await walker.ask(portal('oidc/again'))).to?.href).toBe(failedBy('invalid'));
    lying.lies = {};
    expect(await signInAtLiar()).toBe(portal(''));
    expect((await walker.ask(portal('oidc/again'))).to?.origin).toBe(issuer);
  });

  // The last test, since the network of this machine is locked after it.
  test('[AUTH-6] [PORT-12] A network from which many sign-ins have failed gets no further ones for a while', async () => {
    const { to } = await walker.ask(portal('oidc/lying'));
    const cookie = walker.cookie(new URL(app.baseUrl).host);
    const forged = async () => {
      const answer = await request(
        portal(`oidc/callback?state=forged&code=${to?.searchParams.get('nonce')}`),
        {
          headers: { cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
        },
      );
      await answer.body.dump();
      return new URL(String(answer.headers.location), app.baseUrl).href;
    };
    const said: string[] = [];
    while (said.length < 60 && said.at(-1) !== failedBy('busy')) said.push(await forged());
    expect(said[0]).toBe(failedBy('invalid'));
    expect(said.at(-1)).toBe(failedBy('busy'));
    expect(await signInAtLiar()).toBe(failedBy('busy'));
  });
});
