import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeCertificate, makeExpiredCertificate } from '../../../test/harness/certificate.ts';
import { fillStore } from '../../../test/harness/delivery-store.ts';
import { freePort } from '../../../test/harness/free-port.ts';
import {
  type MailReceiver,
  type ReceivedMail,
  startMailReceiver,
} from '../../../test/harness/mail-receiver.ts';
import { listOutgoing, makeAllDue, putMails, putOffAll } from '../../../test/harness/outbox-verbs.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { type Clock, systemClock } from '../../foundation/clock.ts';
import { readReason, storedReason } from '../../foundation/sentences.ts';
import { leaveNode } from '../../messages/nodes/store.ts';
import { purgeAged } from '../../storage/retention.ts';
import type { Store } from '../../storage/store.ts';
import {
  agedFailedMails,
  listOutbox,
  measureOutbox,
  pullMailsAhead,
  readDueMails,
  recordTriedMails,
  replayMails,
} from './outbox-store.ts';
import type { OutgoingMail } from './outgoing-mail.ts';
import { OutgoingWork } from './outgoing-work.ts';
import { Relay, type RelayOptions } from './relay.ts';

const patience = { timeout: 100_000, interval: 25 };
const hourMs = 3_600_000;

function mail(place: number, to = `a${place}@care.example`): OutgoingMail {
  return {
    messageId: `<${place}@sms.example>`,
    companyId: 1,
    kind: 'answer',
    content: {
      from: { name: '+46701740699', address: '46701740699@sms.example' },
      to: { name: '', address: to },
      subject: 'Re: Ward 7',
      text: 'On my way\n',
      html: '<p>On my way</p>',
      references: ['<1@care.example>', '<2@care.example>'],
      autoSubmitted: 'auto-replied',
    },
  };
}

eachStore('mail that goes out', (engine) => {
  let store: Store;
  let receiver: MailReceiver;
  const opened: { close(): Promise<void> }[] = [];
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await fillStore(store);
    receiver = await startMailReceiver();
    opened.push(receiver);
  });
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.close();
  });

  async function work(options: Partial<RelayOptions> & { nodeId?: number; clock?: Clock } = {}) {
    const { nodeId = 7, clock = systemClock, ...relaying } = options;
    const relay = new Relay({ address: receiver.address, name: 'sms.example', ...relaying });
    const log = { warn: () => undefined, error: () => undefined, info: () => undefined };
    const begun = new OutgoingWork({
      store,
      clock,
      relay,
      log,
      domain: 'sms.example',
      nodeId: () => nodeId,
      chance: () => 0.5,
      tried: () => undefined,
    });
    opened.push({ close: async () => relay.close() }, { close: () => begun.stop() });
    await begun.start();
    return begun;
  }

  const put = (...mails: readonly OutgoingMail[]) => store.write(putMails, { mails, now: Date.now() });
  const taken = () => receiver.taken.map(({ messageId }) => messageId).sort();
  const left = () => store.read(listOutgoing, null);

  test('[MAIL-5] An outgoing e-mail goes out once, with an empty return path and the fields of its conversation', async () => {
    await work();
    await put(mail(1), mail(2));
    await put(mail(1));
    await vi.waitFor(async () => expect(await left()).toEqual([]), patience);
    expect(taken()).toEqual(['<1@sms.example>', '<2@sms.example>']);
    const [first] = receiver.taken;
    expect(first).toMatchObject({ from: '', to: ['a1@care.example'] });
    const text = first?.octets.toString() ?? '';
    expect(text).toMatch(/^In-Reply-To: <2@care\.example>\r$/m);
    expect(text).toMatch(/^References: <1@care\.example> <2@care\.example>\r$/m);
    expect(text).toMatch(/^Auto-Submitted: auto-replied\r$/m);
    expect(text).toMatch(/^From: "\+46701740699" <46701740699@sms\.example>\r$/m);
    expect(text).toMatch(/^Content-Type: text\/html/m);
  });

  const ofCompany = (companyId: number, kind: OutgoingMail['kind'], place: number): OutgoingMail => ({
    ...mail(place),
    messageId: `<${companyId}.${kind}.${place}@sms.example>`,
    companyId,
    kind,
  });

  test('[MAIL-5] [CONV-15] Outgoing e-mails are read by company in turn, questions first, the oldest of each kind first', async () => {
    const now = Date.now();
    await put(ofCompany(1, 'signIn', 1), ofCompany(4, 'signIn', 1));
    await put(...[1, 2, 3].map((place) => ofCompany(1, 'receipts', place)));
    await put(ofCompany(1, 'question', 1), ofCompany(1, 'answer', 1), ofCompany(3, 'receipts', 1));
    await put(...[1, 2].map((place) => ofCompany(2, 'answer', place)));
    const read = async (after: number, limit: number) =>
      (await store.read(readDueMails, { now: now + hourMs, limit, after })).mails.map(({ messageId }) =>
        messageId.slice(1, messageId.indexOf('@')),
      );
    const first = ['1.question.1', '2.answer.1', '3.receipts.1', '4.signIn.1'];
    const others = ['1.signIn.1', '2.answer.2', '1.answer.1', '1.receipts.1', '1.receipts.2', '1.receipts.3'];
    expect(await read(0, 100)).toEqual([...first, ...others]);
    expect(await read(1, 5)).toEqual([...first.slice(1), '1.question.1', '2.answer.2']);
    expect(await read(3, 3)).toEqual(['4.signIn.1', '1.question.1', '2.answer.1']);
    expect(await store.read(readDueMails, { now: now - hourMs, limit: 10, after: 0 })).toEqual({
      mails: [],
      isMore: false,
    });
  });

  test('[MAIL-5] [CONV-12] A company’s outgoing mail waits for only a few e-mails of another, however many the other has', async () => {
    await put(...Array.from({ length: 300 }, (_, place) => ofCompany(1, 'receipts', place)));
    await put(ofCompany(2, 'answer', 1), ofCompany(2, 'question', 2));
    await work();
    await vi.waitFor(() => expect(receiver.taken.length).toBe(302), patience);
    const places = receiver.taken.flatMap(({ messageId }, place) =>
      messageId?.startsWith('<2.') ? place : [],
    );
    // Allows for the e-mails sent concurrently and their turns.
    expect(Math.max(...places)).toBeLessThan(60);
    await vi.waitFor(async () => expect(await left()).toEqual([]), patience);
  });

  test('[MAIL-5] One of two nodes sends outgoing mail, and the other takes over when the first has ended', async () => {
    const first = await work({ nodeId: 7 });
    await vi.waitFor(() => expect(first.size).toBeDefined(), patience);
    const second = await work({ nodeId: 8 });
    await put(mail(1));
    await vi.waitFor(() => expect(taken()).toHaveLength(1), patience);
    expect(second.size).toBeUndefined();
    await first.stop();
    await store.write(leaveNode, 7);
    await put(mail(2));
    await vi.waitFor(() => expect(taken()).toHaveLength(2), patience);
  });

  test('[MAIL-5] After a 5xx an e-mail has failed at once and is kept for a replay, after a 4xx it is put off, and other e-mails are sent', async () => {
    const refused = { code: 550, text: 'no such mailbox' };
    receiver.toRecipient = (address) => {
      if (address === 'a1@care.example') return refused;
      return address === 'a2@care.example' ? { code: 450, text: 'greylisted' } : undefined;
    };
    await work();
    await put(mail(1), mail(2), mail(3));
    await vi.waitFor(async () => {
      expect(taken()).toEqual(['<3@sms.example>']);
      expect(await left()).toMatchObject([
        { message_id: '<1@sms.example>', due_at: null, tries: 1, reason: '550 no such mailbox' },
        { message_id: '<2@sms.example>', due_at: expect.any(Number), tries: 1, reason: '450 greylisted' },
      ]);
    }, patience);
    const [, greylisted] = await left();
    expect(greylisted?.due_at).toBeGreaterThan(Date.now());
    const listed = await store.read(listOutbox, { company: 'Company', state: 'failed', limit: 10 });
    expect(listed).toMatchObject([{ messageId: '<1@sms.example>', to: 'a1@care.example', dueAt: null }]);
    receiver.toRecipient = () => undefined;
    expect(await store.write(replayMails, { messageIds: null, now: Date.now() })).toBe(1);
    await store.write(makeAllDue, null);
    await vi.waitFor(() => expect(taken()).toHaveLength(3), patience);
  });

  test('[MAIL-5] Outgoing mail waits for a relay that is away, and is not lost when the relay breaks off within an e-mail', async () => {
    await receiver.close();
    opened.splice(opened.indexOf(receiver), 1);
    await work();
    await put(...Array.from({ length: 20 }, (_, place) => mail(place)));
    await vi.waitFor(async () => expect((await left()).some(({ reason }) => reason)).toBe(true), patience);
    expect((await left()).length).toBe(20);
    let drops = 3;
    receiver = await startMailReceiver({ port: receiver.port });
    opened.push(receiver);
    receiver.toMail = () => (drops-- > 0 ? 'drop' : undefined);
    await vi.waitFor(async () => expect(await left()).toEqual([]), patience);
    expect(new Set(taken()).size).toBe(20);
    expect(receiver.taken.length).toBe(20);
  }, 300_000);

  test('[MAIL-5] A relay that takes its time over one e-mail holds up no other, and its response is waited for', async () => {
    const isSlow = ({ to }: ReceivedMail) => to[0] === 'a1@care.example';
    let release: (() => void) | undefined;
    receiver.toMail = (mail) =>
      isSlow(mail)
        ? new Promise((resolve) => {
            release = () => resolve(undefined);
          })
        : undefined;
    await work();
    await put(...Array.from({ length: 30 }, (_, place) => mail(place)));
    await vi.waitFor(() => expect(taken()).toHaveLength(29), patience);
    await vi.waitFor(async () => expect(await left()).toMatchObject([{ tries: 0 }]), patience);
    release?.();
    await vi.waitFor(async () => expect(await left()).toEqual([]), patience);
    expect(new Set(taken()).size).toBe(30);
    expect(receiver.taken.length).toBe(30);
  });

  test('[MAIL-5] A relay that never answers an e-mail gets the others meanwhile, and that e-mail again later', async () => {
    receiver.toMail = ({ to }) => (to[0] === 'a1@care.example' ? 'hold' : undefined);
    await work({ timeouts: { connectMs: 5_000, silenceMs: 1_000 } });
    await put(mail(1), mail(2), mail(3));
    await vi.waitFor(async () => {
      const waiting = await left();
      expect(waiting.every(({ reason }) => reason)).toBe(true);
      // On a stalled machine the other answers may also come too late.
      if (waiting.length > 1) await store.write(makeAllDue, null);
      expect(waiting.map(({ message_id }) => message_id)).toEqual(['<1@sms.example>']);
    }, patience);
    expect([...new Set(taken())]).toEqual(['<2@sms.example>', '<3@sms.example>']);
    receiver.toMail = () => undefined;
    await store.write(makeAllDue, null);
    await vi.waitFor(() => expect(new Set(taken()).size).toBe(3), patience);
  });

  test('[MAIL-5] A relay that comes back gets mail put off because of its absence, but not mail that it has put off itself', async () => {
    await receiver.close();
    opened.splice(opened.indexOf(receiver), 1);
    await work();
    await put(mail(1), mail(2));
    // After five failures in a row, only one e-mail at a time is tried.
    await vi.waitFor(
      async () => expect((await left()).every(({ reason, tries }) => reason && tries === 0)).toBe(true),
      patience,
    );
    await store.write(putOffAll, Date.now() + hourMs);
    await put(mail(3), mail(4), mail(5), mail(6), mail(7));
    await vi.waitFor(async () => {
      const waiting = await left();
      expect(
        waiting.filter(({ due_at }) => (due_at ?? 0) < Date.now() + hourMs / 2).every(({ reason }) => reason),
      ).toBe(true);
    }, patience);
    receiver = await startMailReceiver({ port: receiver.port });
    opened.push(receiver);
    await vi.waitFor(async () => expect(await left()).toHaveLength(2), patience);
    expect(receiver.taken).toHaveLength(5);
    for (const { due_at } of await left()) expect(due_at).toBeGreaterThan(Date.now() + hourMs / 2);
  }, 300_000);

  test('[MAIL-5] A relay that comes back gets at once all mail that was put off for less time than the relay may have been away', async () => {
    const time = Date.now();
    receiver.toMail = () => 'drop';
    // The clock is stopped, so no deferred mail becomes due.
    await work({ clock: { now: () => time } });
    const putNow = (...mails: readonly OutgoingMail[]) => store.write(putMails, { mails, now: time });
    await putNow(...[1, 2, 3, 4, 5].map((place) => mail(place)));
    await vi.waitFor(
      async () => expect((await left()).every(({ reason, tries }) => reason && tries === 0)).toBe(true),
      patience,
    );
    await store.write(putOffAll, time + 30_000);
    receiver.toMail = () => undefined;
    await putNow(mail(6));
    await vi.waitFor(async () => expect(await left()).toEqual([]), patience);
    expect(new Set(taken()).size).toBe(6);
  });

  test('[MAIL-5] A relay that answers an e-mail with 421 counts as away, and no mail is put off for minutes', async () => {
    receiver.toSender = () => ({ code: 421, text: 'closing for maintenance' });
    await work();
    await put(...[1, 2, 3, 4, 5].map((place) => mail(place)));
    await vi.waitFor(async () => {
      const waiting = await left();
      expect(waiting.map(({ reason }) => reason)).toEqual(Array(5).fill(expect.stringMatching(/^421/)));
      expect(waiting.map(({ tries }) => tries)).toEqual([0, 0, 0, 0, 0]);
    }, patience);
    receiver.toSender = () => undefined;
    await vi.waitFor(async () => expect(await left()).toEqual([]), patience);
    expect(new Set(taken()).size).toBe(5);
  });

  test('[MAIL-5] A clock set back by two hours holds up no mail, even when the relay has just come back', async () => {
    const clock = { aheadMs: 2 * hourMs, now: () => Date.now() + clock.aheadMs };
    receiver.toMail = () => 'drop';
    await work({ clock });
    const mails = [1, 2, 3, 4, 5].map((place) => mail(place));
    await store.write(putMails, { mails, now: clock.now() });
    await vi.waitFor(async () => expect((await left()).every(({ reason }) => reason)).toBe(true), patience);
    clock.aheadMs = 0;
    receiver.toMail = () => undefined;
    await vi.waitFor(async () => expect(await left()).toEqual([]), patience);
    expect(new Set(taken()).size).toBe(5);
  });

  test('[MAIL-5] An e-mail put off before the clock was set back waits no longer than its pause at the next node', async () => {
    const clock = { aheadMs: 2 * hourMs, now: () => Date.now() + clock.aheadMs };
    receiver.toRecipient = () => ({ code: 450, text: 'greylisted' });
    const first = await work({ clock });
    await store.write(putMails, { mails: [mail(1)], now: clock.now() });
    await vi.waitFor(async () => expect(await left()).toMatchObject([{ tries: 1 }]), patience);
    await first.stop();
    // While the clock is still ahead, the e-mail waits no longer than is allowed after one attempt.
    const pull = (...longestMs: readonly number[]) =>
      store.write(pullMailsAhead, { now: clock.now(), longestMs, limit: 10 });
    expect(await pull(1, 72_000, 1)).toBe(0);
    clock.aheadMs = 0;
    receiver.toRecipient = () => undefined;
    await work({ clock });
    await vi.waitFor(() => expect(taken()).toEqual(['<1@sms.example>']), patience);
  });

  test('[MAIL-5] [CONV-12] The waiting e-mails of one company count only in part towards the room that all companies share', async () => {
    const others = [ofCompany(2, 'answer', 1), ofCompany(3, 'answer', 1)];
    await put(...Array.from({ length: 10_007 }, (_, place) => mail(place)), ...others);
    expect(await store.read(measureOutbox, null)).toMatchObject({ waiting: 10_009, counted: 10_002 });
  });

  test('[MAIL-5] An e-mail not tried for two days is still tried, except for a question, whose time is over', async () => {
    const now = Date.now();
    await store.write(putMails, { mails: [mail(1), { ...mail(2), kind: 'question' }], now });
    await work({ clock: { now: () => now + 49 * hourMs } });
    await vi.waitFor(async () => {
      expect(taken()).toEqual(['<1@sms.example>']);
      expect(await left()).toMatchObject([{ message_id: '<2@sms.example>', due_at: null }]);
    }, patience);
    expect(receiver.offered).toEqual(['a1@care.example']);
  });

  test('[MAIL-5] An e-mail that the relay has accepted is removed, whichever node now sends outgoing mail', async () => {
    await put(mail(1), mail(2));
    const now = Date.now();
    const tried = { nodeId: 99, dueAt: now, at: now, reason: '', kind: 'answer' as const, isCounted: true };
    await store.write(recordTriedMails, { ...tried, messageId: '<1@sms.example>', outcome: 'taken' });
    await store.write(recordTriedMails, { ...tried, messageId: '<2@sms.example>', outcome: 'failed' });
    expect(await left()).toMatchObject([
      { message_id: '<2@sms.example>', due_at: expect.any(Number), tries: 0 },
    ]);
  });

  test('[MAIL-5] A 454 to a recipient concerns that e-mail only, and does not hold back the others', async () => {
    receiver.toRecipient = (address) =>
      address === 'a9@care.example' ? undefined : { code: 454, text: 'Relay access denied' };
    await work();
    await put(...Array.from({ length: 8 }, (_, place) => mail(place + 1)));
    await vi.waitFor(
      async () => expect((await left()).every(({ tries }) => tries === 1)).toBe(true),
      patience,
    );
    await put(mail(9));
    await vi.waitFor(() => expect(taken()).toEqual(['<9@sms.example>']), patience);
  });

  test('[MAIL-5] A replayed e-mail comes behind e-mails that have failed meanwhile', async () => {
    receiver.toRecipient = () => ({ code: 550, text: 'no' });
    await work();
    await put(mail(1));
    await vi.waitFor(async () => expect(await left()).toMatchObject([{ due_at: null, tries: 1 }]), patience);
    const now = Date.now() + 60_000;
    expect(await store.write(replayMails, { messageIds: null, now })).toBe(1);
    await store.write(makeAllDue, null);
    await put(mail(2));
    await vi.waitFor(
      async () => expect((await left()).map(({ due_at }) => due_at)).toEqual([null, null]),
      patience,
    );
    const listed = await store.read(listOutbox, { company: 'Company', state: 'failed', limit: 10 });
    expect(listed.map(({ messageId, queuedAt }) => [messageId, queuedAt >= now])).toEqual([
      ['<1@sms.example>', true],
      ['<2@sms.example>', false],
    ]);
  });

  test('[MAIL-5] An e-mail that nobody accepts for two days fails, and is purged after the retention period', async () => {
    receiver.toRecipient = () => ({ code: 450, text: 'later' });
    const now = Date.now();
    const clock = { now: () => now + 49 * hourMs };
    await store.write(putMails, { mails: [mail(1)], now });
    await work({ clock });
    await vi.waitFor(async () => expect(await left()).toMatchObject([{ due_at: null }]), patience);
    const [{ reason = '' } = {}] = await left();
    expect(readReason(reason ?? '').text).toMatch(/^given up after 48 hours/);
    const count = (before: number) => store.write(purgeAged, { rows: agedFailedMails, now, before });
    expect(await count(now)).toBe(0);
    expect(await count(now + 1)).toBe(1);
  });

  test('[MAIL-5] [JOB-9] A question whose time is over is not sent when the relay is back; all other mail is sent', async () => {
    const now = Date.now();
    const question = (place: number, giveUpAt: number) => ({
      ...mail(place),
      kind: 'question' as const,
      giveUpAt,
    });
    const late = question(1, now - 1);
    await store.write(putMails, { mails: [late, question(2, now + hourMs), mail(3)], now });
    await work();
    await vi.waitFor(async () => {
      expect(taken()).toEqual(['<2@sms.example>', '<3@sms.example>']);
      expect(await left()).toMatchObject([
        {
          message_id: late.messageId,
          due_at: null,
          reason: storedReason({ sentence: 'mail_too_late' }),
        },
      ]);
    }, patience);
  });

  test('[MAIL-5] An invalid address fails without the relay being asked, and names and subjects cannot add header lines', async () => {
    await work();
    const { content, ...rest } = mail(2);
    const name = 'Eve" <eve@evil.example>\r\nBcc: all@evil.example';
    const named = { ...content, to: { ...content.to, name }, subject: 'Hi\r\nBcc: all@evil.example' };
    await put(mail(1, 'a@care.example>\r\nRCPT TO:<b@evil.example'), { ...rest, content: named });
    await vi.waitFor(async () => expect(await left()).toMatchObject([{ due_at: null }]), patience);
    const [only] = receiver.taken;
    expect(receiver.offered).toEqual(['a2@care.example']);
    expect(only?.header.fields.filter(({ name: field }) => field === 'bcc')).toEqual([]);
    expect(only?.header.fields.filter(({ name: field }) => field === 'to')).toHaveLength(1);
  });

  test('[MAIL-5] Outgoing mail demands TLS with a valid certificate, and a wrong relay password does not fail the e-mail', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-relay-'));
    opened.push({ close: async () => rmSync(folder, { recursive: true }) });
    const tls = makeCertificate(folder, 'localhost');
    const user = { name: 'carillon', password: 'p/ss word' };
    receiver = await startMailReceiver({ port: await freePort(), tls, user });
    opened.push(receiver);
    const address = (password: string) => ({
      host: 'localhost',
      port: receiver.port,
      tls: 'starttls' as const,
      login: { user: 'carillon', password },
    });
    const ca = readFileSync(tls.certificateFile, 'utf8');
    const send = async (options: RelayOptions) => {
      const relay = new Relay(options);
      const answer = await relay.send(mail(1), new Date());
      relay.close();
      return answer;
    };
    const name = 'sms.example';
    expect(await send({ address: address(user.password), name })).toMatchObject({
      outcome: 'unreachable',
      reason: expect.stringMatching(/certificate/),
    });
    expect(await send({ address: address('wrong'), name, ca })).toMatchObject({
      outcome: 'unreachable',
      reason: expect.stringMatching(/^535/),
    });
    const lines: string[] = [];
    const onLine = (line: string) => void lines.push(line);
    expect(await send({ address: address(user.password), name, ca, onLine })).toMatchObject({
      outcome: 'taken',
    });
    expect(receiver.taken).toMatchObject([{ isSecure: true, user: 'carillon' }]);
    expect(lines.join('\n')).toMatch(/<- 220 .*-> EHLO sms\.example.*-> STARTTLS.*-> MAIL FROM:<>.*<- 250/s);
    const secret = Buffer.from(`\0carillon\0${user.password}`).toString('base64');
    expect(lines.join('\n')).not.toContain(secret);
    // This certificate is trusted but has expired.
    const old = makeExpiredCertificate(folder, 'localhost');
    const expired = await startMailReceiver({ tls: old });
    opened.push(expired);
    const late = { host: 'localhost', port: expired.port, tls: 'starttls' as const, login: undefined };
    expect(await send({ address: late, name, ca: readFileSync(old.certificateFile, 'utf8') })).toMatchObject({
      outcome: 'unreachable',
      reason: expect.stringMatching(/certificate has expired/),
    });
    expect(expired.offered).toEqual([]);
    // A server without TLS is sent nothing.
    const plain = await startMailReceiver();
    opened.push(plain);
    const bare = { host: 'localhost', port: plain.port, tls: 'starttls' as const, login: undefined };
    expect(await send({ address: bare, name })).toMatchObject({ outcome: 'unreachable' });
    expect(plain.offered).toEqual([]);
  });
});
