import { beforeEach, expect, test } from 'vitest';
import { listedMails } from '../../test/harness/outbox-verbs.ts';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { purgeOnce } from '../../test/harness/purge-once.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { findAccountByUsername } from '../accounts/account.ts';
import { passwordMarkOf } from '../accounts/caller.ts';
import { operator } from '../audit/audit-log.ts';
import type { Store } from '../storage/store.ts';
import type { FactorRefusal } from './factor-records.ts';
import { digestOf, newToken, sessionSecret } from './session.ts';
import {
  agedSessions,
  type BegunSession,
  beginByLink,
  beginSession,
  maxNetworks,
  maxSignInMails,
  networkKeptMs,
} from './session-store.ts';
import { makeLink } from './sign-in.ts';

const secret = sessionSecret('the secret of a server under test');
const dayMs = 86_400_000;

const provisioning = `companies:
  - name: Nordic Care
    signInMails: true
    users:
      - { username: alice, id: 501, email: Alice@Care.example }
      - { username: silent, id: 502 }
  - name: Svensk Omsorg & Co
    signInMails: true
    language: sv
    users:
      - { username: sven, id: 503, email: sven@omsorg.example }
  - name: Quiet
    users:
      - { username: quentin, id: 504, email: quentin@quiet.example }
`;

eachStore('e-mails of sign-ins', (engine) => {
  let store: Store;
  let now: number;
  let count = 0;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    now = 20_000 * dayMs;
    await linesOf(provisioning);
  });

  const { linesOf } = provisioningOf(() => store);

  const sessionAt = (createdAt = now) => {
    count += 1;
    const digest = digestOf(newToken(secret, 'session'));
    return {
      digest,
      id: `s${count}`,
      createdAt,
      usedAt: createdAt,
      network: '',
      browser: 'Firefox, Linux',
      byLink: false,
    };
  };
  const mailDomain = 'sms.example';

  /** Returns whether the user is notified. */
  async function signIn(address: string, username = 'alice', { isSending = true } = {}) {
    const account = await store.read(findAccountByUsername, username);
    if (account === undefined) throw new Error(`no user ${username}`);
    const session = { ...sessionAt(), userId: account.user.id };
    const passwordMark = passwordMarkOf(account.user.passwordHash);
    const from = { address, mailDomain: isSending ? mailDomain : undefined };
    const begun = await store.write(beginSession, { ...from, session, passwordMark });
    expect(begun).toMatchObject({ account: { user: { username } } });
    return notified(begun);
  }
  async function linkFor(username: string): Promise<string> {
    const order = { username, companyId: null, by: operator };
    const path = await makeLink({ store, clock: { now: () => now }, secret }, order);
    return path?.split('#')[1] ?? '';
  }
  async function signInByLink(link: string, address: string) {
    const session = { ...sessionAt(), byLink: true, browser: '' };
    const linkDigest = digestOf(link);
    return notified(await store.write(beginByLink, { linkDigest, session, address, mailDomain }));
  }
  function notified(begun: BegunSession | FactorRefusal | undefined) {
    return typeof begun === 'object' ? begun.isNotified : undefined;
  }
  async function signInAll(addresses: readonly string[], username?: string) {
    const notified: (boolean | undefined)[] = [];
    for (const address of addresses) notified.push(await signIn(address, username));
    return notified;
  }
  const mails = () => store.read(listedMails, null);
  const networks = (length: number, second = 0) =>
    Array.from({ length }, (_, place) => `10.${second}.${place}.1`);

  test('[PORT-2] A sign-in e-mail reports a new network, but neither the first network nor a known one', async () => {
    expect(await signInAll(['192.0.2.1', '192.0.2.200', '192.0.2.1'])).toEqual([false, false, false]);
    expect(await mails()).toEqual([]);
    expect(await signInAll(['198.51.100.7', '198.51.100.8', '192.0.2.9'])).toEqual([true, false, false]);
    expect(await signInAll(['2001:db8:1:2::3', '2001:db8:1:ffff::4', '2001:db8:2::1'])).toEqual([
      true,
      false,
      true,
    ]);
    const [first, ...others] = await mails();
    expect(others.length).toBe(2);
    expect(first).toMatchObject({
      messageId: expect.stringMatching(/^<signin\.s\d+@sms\.example>$/),
      kind: 3,
      content: {
        from: { name: '', address: 'no-reply@sms.example' },
        to: { name: '', address: 'alice@care.example' },
        subject: 'New sign-in as alice',
        autoSubmitted: 'auto-generated',
      },
    });
    const [summary, facts, ...advice] = first?.content.text.trim().split('\n\n') ?? [];
    expect(summary).toBe(
      'Someone signed in to Carillon as alice (Nordic Care), from a network with no such sign-in in the last 90 days.',
    );
    expect(facts).toBe('When: 2024-10-04 00:00 UTC\nFrom: 198.51.100.7\nWith: Firefox, Linux');
    expect(advice.length).toBe(2);
    expect(first?.content.text).not.toMatch(/https?:|#/);
    expect(first?.content.html).not.toMatch(/href|https?:/);
  });

  test('[PORT-2] A sign-in e-mail is in the company’s language, and says when a login link was used', async () => {
    await signIn('192.0.2.1', 'sven');
    expect(await signInByLink(await linkFor('sven'), '203.0.113.5')).toBe(true);
    const [mail] = await mails();
    expect(mail?.content).toMatchObject({
      to: { address: 'sven@omsorg.example' },
      subject: 'Ny inloggning som sven',
    });
    expect(mail?.content.text).toContain('som sven (Svensk Omsorg & Co), från');
    expect(mail?.content.text).toContain(
      'När: 2024-10-04 00:00 UTC\nFrån: 203.0.113.5\nGenom: en inloggningslänk, utan lösenord\n\n',
    );
    expect(mail?.content.html).toContain('Svensk Omsorg &amp; Co');
  });

  test('[PORT-2] Sign-in e-mails go out only if the company wants them, the user has an address, and mail can be sent', async () => {
    const away = ['192.0.2.1', '198.51.100.1'];
    expect(await signInAll(away, 'silent')).toEqual([false, false]);
    expect(await signInAll(away, 'quentin')).toEqual([false, false]);
    await signIn('192.0.2.1');
    expect(await signIn('198.51.100.1', 'alice', { isSending: false })).toBe(false);
    expect(await mails()).toEqual([]);
    // Networks that were used meanwhile count as known.
    await linesOf(`companies: [{ name: Quiet, signInMails: true }]`);
    expect(await signInAll([...away, '203.0.113.1'], 'quentin')).toEqual([false, false, true]);
    await linesOf(`companies: [{ name: Quiet, signInMails: false }]`);
    expect(await signIn('203.0.114.1', 'quentin')).toBe(false);
  });

  test('[PORT-2] A sign-in e-mail reports a network again after 90 days without use, even the user’s only network', async () => {
    await signInAll(['192.0.2.1', '198.51.100.1']);
    now += networkKeptMs;
    expect(await signIn('192.0.2.1')).toBe(false);
    now += 1;
    await purgeOnce(store, agedSessions, { now, before: 0 });
    expect(await signIn('198.51.100.1')).toBe(true);
    // This holds even if nothing was purged. If everything was purged, the sign-in does not count as a first one.
    now += networkKeptMs + 1;
    expect(await signIn('192.0.2.1')).toBe(true);
    now += networkKeptMs + 1;
    expect(await purgeOnce(store, agedSessions, { now, before: 0 })).toBeGreaterThan(0);
    expect(await purgeOnce(store, agedSessions, { now, before: 0 })).toBe(0);
    expect(await signIn('192.0.2.1')).toBe(true);
  });

  test('[PORT-2] [RUN-2] Sign-in e-mails of a new user know no network of a former user of the same name', async () => {
    await signInAll(['192.0.2.1', '198.51.100.1']);
    const company = (user: string) =>
      `companies: [{ name: Nordic Care, signInMails: true, users: [{ ${user} }] }]`;
    await linesOf(company('username: alice, remove: true'));
    await linesOf(company('username: alice, email: alice@care.example'));
    expect(await signInAll(['203.0.113.1', '192.0.2.1'])).toEqual([false, true]);
  });

  test('[PORT-2] A user gets at most ten sign-in e-mails a day, and the last one says so', async () => {
    await signIn('192.0.2.1');
    const notified = await signInAll(networks(maxNetworks + 20));
    expect(notified.map(Boolean).lastIndexOf(true)).toBe(maxSignInMails - 1);
    expect(notified.filter(Boolean).length).toBe(maxSignInMails);
    // Some of these networks have displaced each other.
    expect(await signInAll(networks(20))).toEqual(Array.from({ length: 20 }, () => false));
    const sent = await mails();
    const saysSo = sent.filter(({ content }) => content.text.includes('no more of these e-mails today'));
    expect([sent.length, saysSo.length]).toEqual([maxSignInMails, 1]);
    // A node whose clock is still in the previous day continues the same count.
    now -= dayMs;
    expect(await signInAll(networks(5, 9))).toEqual([false, false, false, false, false]);
    now += 2 * dayMs;
    expect((await signInAll(networks(15, 7))).filter(Boolean).length).toBe(maxSignInMails);
  });

  test('[PORT-2] Sign-in e-mails know the last 50 networks of a user', async () => {
    for (const address of networks(maxNetworks)) {
      now += 1;
      await signIn(address);
    }
    now += dayMs;
    expect(await signInAll(networks(maxNetworks).slice(-2))).toEqual([false, false]);
    expect(await signIn('10.0.0.1')).toBe(false);
    expect(await signIn('192.0.2.1')).toBe(true);
    expect(await signInAll(['10.0.0.1', '10.0.1.1'])).toEqual([false, true]);
  });

  test('[PORT-2] Many sign-ins at once cause a single sign-in e-mail', async () => {
    await signIn('192.0.2.1');
    const link = await linkFor('alice');
    // A sign-in by link is a separate transaction.
    const notified = await Promise.all([
      ...Array.from({ length: 8 }, () => signIn('198.51.100.1')),
      signInByLink(link, '198.51.100.2'),
    ]);
    expect(notified.filter(Boolean).length).toBe(1);
    expect((await mails()).length).toBe(1);
  });
});
