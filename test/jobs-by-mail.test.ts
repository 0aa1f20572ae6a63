/**
 * People without a phone are asked by mail and answer on a page. Runs whole servers, with a mail server that accepts what
 * they send.
 */
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerLinkSecret, writeAnswerLink } from '../src/jobs/job-mail.ts';
import { fieldValue } from '../src/wire/mail/header-fields.ts';
import { alice, startWholeApp, type WholeApp } from './harness/app.ts';
import { until } from './harness/awake.ts';
import { executablePath, hasBrowser } from './harness/browser.ts';
import { beginSession } from './harness/browser-session.ts';
import { jobsProvisioning, phoneOf, runOf, sentBy } from './harness/jobs.ts';
import { type MailReceiver, type ReceivedMail, startMailReceiver } from './harness/mail-receiver.ts';
import { query } from './harness/messaging.ts';
import { mailOf } from './harness/raw-mail.ts';
import { runHere } from './harness/run-here.ts';

const filter = 'recipients: { tagFilter: "role:mailnurse"';
const provisioning = jobsProvisioning({
  types: [
    '{ name: Shift, generic: GMA, openEarly: false }',
    '{ name: Pass, generic: GMA, language: sv, reminderMinutes: 30 }',
  ],
  jobs: [
    '{ id: 71, owner: nordic-jobs, name: "Night <call>", type: Shift, message: "Can you come & help?", tasks: [{ tagType: role, tagValue: mailnurse, goal: 1 }] }',
    `{ id: 72, owner: nordic-jobs, name: Alla, type: MonitoredMessage, message: "Come?", ${filter}, numbers: ["${phoneOf(20)}"] } }`,
    '{ id: 73, owner: nordic-jobs, name: Natt, type: Pass, message: "Kan du komma?", tasks: [{ tagType: role, tagValue: mailnurse, goal: 2 }] }',
  ],
});

describe('people without a phone', () => {
  let receiver: MailReceiver;
  let app: WholeApp;
  beforeAll(async () => {
    receiver = await startMailReceiver();
    const env = {
      CARILLON_SMTP_RELAY: `smtp://127.0.0.1:${receiver.port}`,
      CARILLON_MAIL_DOMAIN: 'sms.example',
    };
    app = await startWholeApp({ engine: 'sqlite', provisioning, env });
  });
  afterAll(async () => {
    await app?.close();
    await receiver?.close();
  });

  async function start(job: string): Promise<number> {
    const { exitCode, stdout } = await runHere(app.env, 'jobs', 'start', job, '--user', 'alice', '--json');
    expect(exitCode).toBe(0);
    return Number(JSON.parse(stdout).run);
  }

  const mailsOf = (run: number, n: number) =>
    receiver.taken.filter((mail) => mail.messageId.startsWith(`<job.${run}.`) && mail.to[0] === address(n));
  const address = (n: number) => `p${n}@care.example`;
  const words = (mail: ReceivedMail) => mailOf(mail.octets).text.text;

  /** The latest e-mail to the person, once there are this many. */
  async function mailTo(run: number, n: number, count = 1): Promise<ReceivedMail> {
    await until(() => mailsOf(run, n).length >= count);
    return mailsOf(run, n).at(-1) as ReceivedMail;
  }

  async function linkTo(run: number, n: number): Promise<string> {
    const text = (await mailTo(run, n)).octets
      .toString('latin1')
      .replace(/=\r\n/g, '')
      .replaceAll('=3D', '=');
    const [link] = /http:\/\/[^\s"<]+\/answer\/[\w.-]+/.exec(text) ?? [];
    if (link === undefined) throw new Error('the e-mail has no link');
    return link;
  }

  const answer = (link: string, value: string, headers: Record<string, string> = {}) =>
    fetch(link, {
      method: 'POST',
      body: new URLSearchParams({ answer: value }),
      headers,
      redirect: 'manual',
    });
  const shown = async (link: string) => (await fetch(link)).text();
  const phase = async (run: number) => (await runOf(app, run)).phase;
  const recordOf = async (run: number) =>
    JSON.parse((await app.run('jobs', 'record', String(run), '--json')).stdout);

  test('[JOB-9] A person without a phone is asked by mail with a link, answers by POST, and is told by mail what becomes of the run', async () => {
    const run = await start('71');
    const mail = await mailTo(run, 43);
    expect(mail).toMatchObject({ from: '', to: ['p43@care.example'] });
    expect(fieldValue(mail.header, 'subject')?.trim()).toBe('Night <call>');
    expect(fieldValue(mail.header, 'auto-submitted')?.trim()).toBe('auto-generated');
    expect(words(mail)).toMatch(/^Can you come & help\?\n\nAnswer here:\nhttp/);
    const [link, other] = [await linkTo(run, 43), await linkTo(run, 44)];
    expect(link.startsWith(`${app.baseUrl}/answer/${run}.`)).toBe(true);
    expect(link).not.toBe(other);

    // Opening the link does not answer, whatever the method.
    for (const url of [link, `${link}?answer=yes`, `${link}?answer=no`])
      for (const method of ['GET', 'HEAD']) expect((await fetch(url, { method })).status).toBe(200);
    const page = await fetch(link);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-robots-tag': 'noindex, nofollow',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[\w+/]+={0,2}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
      ),
    });
    const html = await page.text();
    expect(html).toContain('<h1>Night &lt;call&gt;</h1>');
    expect(html).toContain('Can you come &amp; help?');
    expect(html).toContain('You have not answered yet.');
    expect(html).toContain('0 of 1 found');
    expect(html).not.toMatch(/<script|Person|care\.example/);
    expect((await recordOf(run)).timeline.map(({ what }: { what: string }) => what)).toEqual([
      ...['start', 'unreached', 'ask'],
    ]);

    // The browser also sends the session of a signed-in user.
    const { cookie } = await beginSession(app, alice);
    const { origin } = new URL(link);
    const headers = { cookie, origin, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' };
    const posted = await answer(link, 'yes', headers);
    expect(posted.status).toBe(303);
    expect((await answer(link, 'no', { ...headers, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect(new URL(posted.headers.get('location') as string, link).href).toBe(link);
    await until(async () => (await shown(link)).includes('You are on. Thank you!'));
    expect(await phase(run)).toBe('finished');
    expect(words(await mailTo(run, 43, 2))).toMatch(/^Night <call>: thank you, you are on\./);
    expect(words(await mailTo(run, 44, 2))).toContain('enough people have answered');
    expect(await shown(other)).toContain('Enough people have answered.');

    // A changed answer counts, even from someone who is no longer needed.
    await answer(link, 'no');
    await until(async () => (await phase(run)) === 'open');
    await answer(other, 'yes');
    await until(async () => (await shown(other)).includes('You are on.'));
    expect(await shown(link)).toContain('You have said no. We will not count on you.');
    await answer(link, 'yes');
    await until(async () => (await shown(link)).includes('all places are filled'));
    const { people, timeline } = await recordOf(run);
    expect(people).toMatchObject([
      { name: 'Person 43', phone: '', email: 'p43@care.example', state: 'yes' },
      { name: 'Person 44', email: 'p44@care.example', state: 'yes', task: 'role:mailnurse' },
      { name: 'Person 45', state: 'unreachable' },
    ]);
    const replies = timeline.filter(({ what }: { what: string }) => what === 'reply');
    expect(
      replies.map(({ people: who, detail }: { people: string[]; detail: string }) => [...who, detail]),
    ).toEqual([
      ['Person 43', 'yes, through the link in an e-mail'],
      ['Person 43', 'no, through the link in an e-mail'],
      ['Person 44', 'yes, through the link in an e-mail'],
      ['Person 43', 'yes, through the link in an e-mail'],
    ]);
    expect(timeline).toContainEqual(
      expect.objectContaining({ what: 'unreached', people: ['Person 45'], detail: 'only an app address' }),
    );
  });

  test('[JOB-9] [JOB-14] A person whose e-mail is refused for good counts as not reached, and the record shows each e-mail', async () => {
    receiver.toRecipient = (to) =>
      to === address(44) ? { code: 550, text: '5.1.1 nobody here' } : undefined;
    const run = await start('71');
    await mailTo(run, 43);
    const person = async (n: number) =>
      (await recordOf(run)).people.find(({ email }: { email: string }) => email === address(n));
    await until(async () => (await person(44)).state === 'unreachable');
    await until(async () => (await person(43)).mails[0].state === 'taken');
    receiver.toRecipient = () => undefined;
    const question = { isQuestion: true, text: 'Can you come & help?' };
    expect((await person(43)).mails).toMatchObject([{ ...question, id: `<job.${run}.0.0@sms.example>` }]);
    expect((await person(44)).mails).toMatchObject([
      { ...question, state: 'failed', reason: expect.stringContaining('5.1.1 nobody here') },
    ]);
    expect((await recordOf(run)).timeline).toContainEqual(
      expect.objectContaining({
        what: 'unreached',
        people: ['Person 44'],
        detail: expect.stringMatching(/^the e-mail failed: 550 .*nobody here/),
      }),
    );
    expect(await query(app, 'SELECT message_id FROM question_outcomes')).toEqual([]);
    const table = (await app.run('jobs', 'record', String(run))).stdout;
    expect(table).toMatch(/Person 43 +p43@care\.example +asked +taken/);
    expect(table).toMatch(/Person 44 +p44@care\.example +unreachable +failed/);
    expect((await app.run('jobs', 'record', String(run), '--format', 'html')).stdout).toContain(
      'mail failed',
    );
    const rehearsed = await runHere(app.env, 'jobs', 'rehearse', '71', '--user', 'alice');
    expect(rehearsed.stdout).toMatch(/at once +Person 43 +p43@care\.example/);
    expect((await runHere(app.env, 'jobs', 'cancel', String(run), '--user', 'alice')).exitCode).toBe(0);
  });

  test.skipIf(!hasBrowser)(
    '[JOB-9] [PORT-2] An answer by link works over plain HTTP too, even beside a session in the same browser',
    async () => {
      const run = await start('71');
      const link = new URL(await linkTo(run, 43));
      // To a browser, only loopback is as secure as HTTPS; to other hosts over plain HTTP it sends no `Sec-Fetch-Site`.
      link.hostname = 'sms.test';
      const browser = await chromium.launch({
        executablePath,
        args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP sms.test 127.0.0.1'],
      });
      try {
        const context = await browser.newContext();
        await context.addCookies([{ name: 'carillon', value: 'a-session', url: link.origin }]);
        const page = await context.newPage();
        await page.goto(link.href);
        const posted = page.waitForRequest((request) => request.method() === 'POST');
        await page.getByRole('button', { name: 'YES' }).click();
        const headers = await (await posted).allHeaders();
        expect([headers.cookie, headers['sec-fetch-site']]).toEqual(['carillon=a-session', undefined]);
        await page.getByText('Your answer has been received').or(page.getByText('You are on')).waitFor();
      } finally {
        await browser.close();
      }
      expect((await runHere(app.env, 'jobs', 'cancel', String(run), '--user', 'alice')).exitCode).toBe(0);
    },
  );

  test('[JOB-9] The same answer given twice counts once, and the number of changes is limited', async () => {
    const run = await start('72');
    const link = await linkTo(run, 43);
    expect((await sentBy(app, run)).map(({ to }) => to)).toEqual([phoneOf(20)]);
    for (let times = 0; times < 3; times++) await answer(link, 'yes');
    await until(async () => (await shown(link)).includes('You are on.'));
    const replies = async () => (await recordOf(run)).people[0].answers.length;
    const [{ name }] = (await recordOf(run)).people;
    expect([
      name,
      (await recordOf(run)).people.find((one: { email: string }) => one.email === address(43)).answers.length,
    ]).toEqual([name, 1]);
    expect(await replies()).toBeLessThanOrEqual(1);
    for (let times = 0; times < 25; times++) await answer(link, times % 2 === 0 ? 'no' : 'yes');
    await until(async () => (await shown(link)).includes('too often'));
    const person = (await recordOf(run)).people.find((one: { email: string }) => one.email === address(43));
    expect(person.answers.length).toBeLessThanOrEqual(26);
    expect(await shown(link)).not.toContain('<form');
  });

  test('[JOB-9] A person asked by mail is told of the end in the language of the job type, and a late answer is answered once', async () => {
    const run = await start('73');
    const link = await linkTo(run, 43);
    const html = await shown(link);
    expect(html).toContain('<html lang="sv">');
    for (const text of ['0 av 2 klara', 'Du har inte svarat än.', '>JA<', '>NEJ<'])
      expect(html).toContain(text);
    expect(html).toMatch(/om [4-6]\d minuter/);
    await answer(link, 'yes');
    await until(async () => (await shown(link)).includes('Du är med.'));
    expect((await runHere(app.env, 'jobs', 'cancel', String(run), '--user', 'alice')).exitCode).toBe(0);
    await until(async () => (await phase(run)) === 'ended');
    expect(words(await mailTo(run, 43, 3))).toContain('är inställt');
    expect(await shown(link)).toContain('Förfrågan är avslutad.');
    const late = await linkTo(run, 44);
    await answer(late, 'yes');
    await until(() => mailsOf(run, 44).some((mail) => words(mail).includes('för sent')));
    const before = await query(app, `SELECT COUNT(*) AS entries FROM job_entries WHERE run_id = ${run}`);
    for (let times = 0; times < 3; times++) await answer(late, times === 1 ? 'no' : 'yes');
    expect(await query(app, `SELECT name FROM job_events WHERE run_id = ${run}`)).toEqual([]);
    expect(await query(app, `SELECT COUNT(*) AS entries FROM job_entries WHERE run_id = ${run}`)).toEqual(
      before,
    );
  });

  test('[JOB-9] An answer link that is wrong, from another server, or expired leads nowhere', async () => {
    const run = await start('71');
    const link = await linkTo(run, 43);
    const [, text = ''] = link.split('/answer/');
    const secret = answerLinkSecret(app.env.CARILLON_SECRET as string);
    const at = (own: string) => `${app.baseUrl}/answer/${own}`;
    const place = Number(text.split('.')[1]);
    const foreign = writeAnswerLink(answerLinkSecret('some other secret of the tests, as long'), {
      runId: run,
      place,
      expiresAt: Date.now() + 60_000,
    });
    for (const wrong of [
      foreign,
      `${text}x`,
      text.replace(`${run}.`, `${run + 1}.`),
      'x',
      '%20',
      '.'.repeat(300),
    ]) {
      for (const tried of [await fetch(at(wrong)), await answer(at(wrong), 'yes')]) {
        expect([wrong, tried.status]).toEqual([wrong, 404]);
        expect(await tried.text()).not.toMatch(/Night|help/);
      }
    }
    expect(await shown(at('x.y'))).toContain('Länken stämmer inte.');
    for (const over of [
      { runId: 987_654, place: 0, expiresAt: Date.now() + 60_000 },
      { runId: run, place: 77, expiresAt: Date.now() + 60_000 },
    ]) {
      const tried = await answer(at(writeAnswerLink(secret, over)), 'yes');
      expect(tried.status).toBe(410);
      expect(await tried.text()).toContain('This link has expired.');
    }
    expect((await answer(link, 'maybe')).status).toBe(400);
    expect((await answer(link, 'x'.repeat(5_000))).status).toBe(413);
    expect((await fetch(link, { method: 'POST', body: '{}' })).status).toBe(400);
    expect((await fetch(link, { method: 'PUT' })).status).toBe(404);
    expect(await shown(link)).toContain('You have not answered yet.');
    expect(await query(app, `SELECT name FROM job_events WHERE run_id = ${run}`)).toEqual([]);
  });

  test('[JOB-13] [JOB-9] A rehearsal shows how many e-mails it takes, how many are left for the day, and whether these are too few', async () => {
    const rehearsed = async () =>
      (await runHere(app.env, 'jobs', 'rehearse', '71', '--user', 'alice')).stdout;
    expect(await rehearsed()).toContain('2 e-mails at once, 2 for all. Nothing was sent.');
    const limited = (mailsPerDay: number) =>
      app.apply(
        provisioning.replace('- name: Nordic Care', `- name: Nordic Care\n    mailsPerDay: ${mailsPerDay}`),
      );
    await limited(1_000_000);
    const path = '/api/v1/jobs/71/rehearse';
    const { body } = await app.as(alice).post(path, {});
    expect(body).toMatchObject({ mailsFirst: 2, mailsAll: 2, partsFirst: 0 });
    expect(await rehearsed()).toContain(
      `The company may send ${body.mailsLeft} more today. Nothing was sent.`,
    );
    await limited(1_000_001 - body.mailsLeft);
    expect((await app.as(alice).post(path, {})).body).toMatchObject({ mailsFirst: 2, mailsLeft: 1 });
    expect(await rehearsed()).toContain('That is not enough: people beyond the limit count as not reached.');
  });
});
