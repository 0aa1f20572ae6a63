/** Tests e-mails that tell users about a sign-in from a network new to them: whole servers, over TCP, with a relay. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fieldValue } from '../../src/wire/mail/header-fields.ts';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { beginSession, ownPage, sessionOf } from '../harness/browser-session.ts';
import { eachEngine } from '../harness/engines.ts';
import { type MailReceiver, type ReceivedMail, startMailReceiver } from '../harness/mail-receiver.ts';
import { mailOf } from '../harness/raw-mail.ts';

const provisioning = `companies:
  - name: Nordic Care
    signInMails: true
    users:
      - { username: anna, id: 501, password: anna's long password, roles: [companyAdmin] }
      - { username: bo, id: 502, password: bo's long password, roles: [send] }
      - { username: carl, id: 503, password: carl's long password, email: Carl@Care.Example }
`;

const anna = { username: 'anna', password: "anna's long password" };
const bo = { username: 'bo', password: "bo's long password" };
const carl = { username: 'carl', password: "carl's long password" };
const patience = { timeout: 110_000, interval: 50 };

eachEngine('e-mails of sign-ins', (engine) => {
  let app: WholeApp;
  let relay: MailReceiver;
  beforeAll(async () => {
    relay = await startMailReceiver();
    const env = {
      CARILLON_TRUSTED_PROXIES: '127.0.0.0/8,::1',
      CARILLON_SMTP_RELAY: `smtp://127.0.0.1:${relay.port}`,
      CARILLON_MAIL_DOMAIN: 'sms.example',
    };
    app = await startWholeApp({ engine, provisioning, env });
  });
  afterAll(async () => {
    await app?.close();
    await relay?.close();
  });

  /** Headers as a proxy forwards them. */
  const from = (address: string) => ({ 'x-forwarded-for': address, 'x-forwarded-proto': 'https' });
  async function signIn(user: object, address: string, browser = 'Mozilla/5.0 (X11; Linux) Firefox/140.0') {
    const headers = { ...ownPage, ...from(address), 'user-agent': browser };
    const begun = await app.as().post('/portal/api/session', user, headers);
    expect(begun.status).toBe(200);
    return begun;
  }
  async function mailsTo(address: string, count: number): Promise<readonly ReceivedMail[]> {
    const own = () => relay.taken.filter(({ to }) => to.includes(address));
    await vi.waitFor(() => expect(own().length).toBeGreaterThanOrEqual(count), patience);
    return own();
  }
  const textOf = ({ octets }: ReceivedMail) => mailOf(octets).text.text;

  test('[PORT-2] [MAIL-5] An e-mail about a new sign-in goes to the address that an administrator set, and contains no words from the caller', async () => {
    await signIn(bo, '192.0.2.10');
    const set = await app.as(anna).patch('/api/v1/users/502', { email: 'Bo@Care.Example' });
    expect(set).toMatchObject({ status: 200, body: { email: 'bo@care.example' } });
    expect(set.body.managedKeys).not.toContain('email');
    await signIn(bo, '192.0.2.11');
    await signIn(bo, '198.51.100.20', 'Firefox/1.0 Windows, call +46 8 123 now https://evil.example <b>');
    const [mail] = (await mailsTo('bo@care.example', 1)) as [ReceivedMail];
    expect(mail).toMatchObject({ from: '' });
    expect(fieldValue(mail.header, 'subject')).toBe('New sign-in as bo');
    expect(fieldValue(mail.header, 'from')).toBe('no-reply@sms.example');
    expect(fieldValue(mail.header, 'auto-submitted')).toBe('auto-generated');
    expect(textOf(mail)).toMatch(
      /\nWhen: \d{4}-\d\d-\d\d \d\d:\d\d UTC\nFrom: 198\.51\.100\.20\nWith: Firefox, Windows\n/,
    );
    expect(mail.octets.toString()).not.toMatch(/evil|\+46 8|https?:/);
    expect(relay.taken.length).toBe(1);
  });

  test('[PORT-2] [PORT-7] A session cannot change the e-mail address of its own user, nor one that the provisioning file sets', async () => {
    const session = await beginSession(app, anna);
    const own = await session.patch('/api/v1/users/501', { email: 'thief@example.com' });
    expect(own).toMatchObject({ status: 403, body: { code: 'own_email' } });
    const wrong = await app.as(anna).patch('/api/v1/users/501', { email: 'anna at home' });
    expect(wrong).toMatchObject({ status: 400, body: { code: 'invalid_email' } });
    const users = (await session.get('/api/v1/users')).body.users as { email?: string }[];
    expect(users.map(({ email }) => email)).toEqual([undefined, 'bo@care.example', 'carl@care.example']);
    const managed = await session.patch('/api/v1/users/503', { email: '' });
    expect(managed).toMatchObject({ status: 409, body: { code: 'managed' } });
    expect((await session.patch('/api/v1/users/502', { email: 'b@care.example' })).body.email).toBe(
      'b@care.example',
    );
  });

  test('[PORT-2] A sign-in does not wait for the mail relay', async () => {
    const nobodyWaits = (_: undefined): void => undefined;
    let take = nobodyWaits;
    relay.toMail = () =>
      new Promise((resolve) => {
        take = resolve;
      });
    await signIn(carl, '192.0.2.10');
    const begun = await signIn(carl, '203.0.113.9');
    await vi.waitFor(() => expect(take).not.toBe(nobodyWaits), patience);
    const session = sessionOf(app, begun);
    expect((await session.get('/portal/api/session', '', from('203.0.113.9'))).status).toBe(200);
    expect(relay.taken.filter(({ to }) => to.includes('carl@care.example'))).toEqual([]);
    take(undefined);
    await mailsTo('carl@care.example', 1);
  });
});
