/** Tests what is recorded about received e-mails, and how little of the record strangers can use up. */
import { beforeEach, describe, expect, test } from 'vitest';
import { mailRoom } from '../../../test/harness/mail-room.ts';
import { plainMail } from '../../../test/harness/raw-mail.ts';
import { signed } from '../../../test/harness/signed-mail.ts';
import { SmtpClient } from '../../../test/harness/smtp-client.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { purgeAged } from '../../storage/retention.ts';
import type { Store } from '../../storage/store.ts';
import {
  agedRecentMails,
  listRecentMails,
  MailRecords,
  type MailToRecord,
  type RecentMail,
  recordMails,
  ringOf,
  slotsOfRing,
} from './recent-mail.ts';

const all = { company: null, limit: 1_000 };

eachStore('what became of e-mails', (engine) => {
  const room = mailRoom(engine);

  test('[MAIL-2] Sent, ignored and refused e-mails are recorded with sender, recipients and reason, and without content', async () => {
    const node = await room.start();
    const from = ['From: Kari <kari@care.example>', 'Subject: A secret'];
    await node.deliver({ octets: await signed(room.plain), to: room.to });
    await node.deliver({
      octets: plainMail('A secret', [...from, 'Auto-Submitted: auto-replied']),
      to: room.to,
    });
    await node.deliver({ octets: plainMail('A secret', from), to: room.to, from: 'x@stranger.example' });
    const client = new SmtpClient(node.port);
    await client.reply();
    for (const line of ['EHLO x', 'MAIL FROM:<y@stranger.example>', 'RCPT TO:<ward7@sms.example>'])
      await client.command(line);
    client.close();
    await node.server.stop();
    await node.records.stop();
    const recent = await room.store.read(listRecentMails, { company: null, limit: 4 });
    const actual = recent.map(({ outcome, reason, sender, isProven, company }) => [
      outcome,
      reason,
      sender,
      isProven,
      company,
    ]);
    expect(actual).toEqual(
      expect.arrayContaining([
        ['sent', null, expect.stringContaining('@care.example'), true, 'Care'],
        ['ignored', null, 'kari@care.example', false, null],
        ['refused', 'unproven', 'kari@care.example', false, null],
        ['refused', 'no_phone', 'y@stranger.example', false, null],
      ]),
    );
    expect(recent.find(({ outcome }) => outcome === 'sent')).toMatchObject({
      recipients: room.to,
      recipientCount: 1,
      messageIds: [expect.stringMatching(/^\d+$/)],
      address: '127.0.0.1',
    });
    expect(JSON.stringify(recent)).not.toContain('secret');
  });

  test('[MAIL-2] Recent e-mails take a fixed number of places for each company, where the newest replaces the oldest', async () => {
    const { store } = await engine.openFreshStore();
    await record(store, mailsOf(7, 3));
    for (let hundred = 0; hundred < 8; hundred += 1) await record(store, mailsOf(8, 100, hundred * 100));
    const kept = await store.read(listRecentMails, all);
    const times = kept.map(({ receivedAt }) => receivedAt);
    expect(kept).toHaveLength(slotsOfRing + 3);
    expect(times.slice(0, slotsOfRing)).toEqual(
      Array.from({ length: slotsOfRing }, (_, place) => 1_799 - place),
    );
    await store.write(purgeAged, { rows: agedRecentMails, now: 0, before: 1_700 });
    expect(await store.read(listRecentMails, all)).toHaveLength(100);
  });

  test('[PORT-10] [MAIL-2] A company’s recent e-mails are read page by page, newest first, and never those of others', async () => {
    const { store } = await engine.openFreshStore();
    const alike = mailsOf(7, 5).map((mail) => ({ ...mail, receivedAt: 5_000 }));
    await record(store, [...mailsOf(7, 3), ...alike, ...mailsOf(8, 4), ...mailsOf(ringOf.strangers, 2)]);
    const times: number[] = [];
    const places = new Set<number>();
    let after: { readonly receivedAt: number; readonly slot: number } | undefined;
    for (let pages = 0; pages < 9; pages += 1) {
      const page = await store.read(listRecentMails, { company: 7, after, limit: 2 });
      for (const { receivedAt, slot } of page) {
        times.push(receivedAt);
        places.add(slot);
      }
      after = page.at(-1) ?? after;
    }
    expect(times).toEqual([5_000, 5_000, 5_000, 5_000, 5_000, 1_002, 1_001, 1_000]);
    expect(places.size).toBe(8);
    expect(await store.read(listRecentMails, { company: 9, limit: 9 })).toEqual([]);
  });

  test('[MAIL-2] Nodes record recent e-mails side by side, and none overwrites what another has just recorded', async () => {
    const fresh = await engine.openFreshStore();
    const other = await fresh.openAnother();
    const turns = Array.from({ length: 20 }, (_, turn) =>
      record(turn % 2 === 0 ? fresh.store : other, [...mailsOf(7, 3, turn * 3), ...mailsOf(8, 3, turn * 3)]),
    );
    await Promise.all(turns);
    expect(await fresh.store.read(listRecentMails, all)).toHaveLength(120);
  });
});

function record(store: Store, mails: readonly RecentMail[]): Promise<void> {
  return store.write(recordMails, mails);
}

function mailsOf(ring: number, count: number, first = 0): RecentMail[] {
  return Array.from({ length: count }, (_, place) => {
    const { isUnauthenticated: _1, ...mail } = mailFrom('192.0.2.1', { ring });
    return { ...mail, receivedAt: 1_000 + first + place };
  });
}

function mailFrom(address: string, change: Partial<MailToRecord> = {}): MailToRecord {
  return {
    ring: ringOf.strangers,
    address,
    sender: 'a@b.example',
    isProven: false,
    isUnauthenticated: true,
    recipients: [],
    recipientCount: 0,
    outcome: 'refused',
    reason: 'unproven',
    answer: '',
    messageIds: [],
    ...change,
  };
}

describe('of strangers', () => {
  let now = 0;
  let kept: number;
  let warned: object[];
  let isAway: boolean;
  let records: MailRecords;
  beforeEach(() => {
    [kept, warned, isAway] = [0, [], false];
    const store = {
      write: async (_: unknown, mails: readonly RecentMail[]) => {
        if (isAway) throw new Error('away');
        kept += mails.length;
      },
    } as unknown as Store;
    const log = { warn: (details: object) => void warned.push(details) };
    records = new MailRecords({ store, clock: { now: () => now }, log });
  });

  const come = async (...mails: readonly MailToRecord[]) => {
    for (const mail of mails) {
      records.record(mail);
      await records.stop();
    }
    return kept;
  };

  test('[MAIL-2] Recent e-mails of unauthenticated clients are limited per network and hour, and for all together', async () => {
    expect(await come(...Array.from({ length: 30 }, () => mailFrom('192.0.2.1')))).toBe(20);
    const many = Array.from({ length: 400 }, (_, place) => mailFrom(`10.0.${place % 200}.1`));
    expect(await come(...many)).toBe(300);
    expect(await come(mailFrom('10.0.250.1'))).toBe(300);
    expect(await come(mailFrom('192.0.2.1', { outcome: 'sent' }))).toBe(301);
    expect(await come(mailFrom('192.0.2.1', { isUnauthenticated: false }))).toBe(302);
    now += 3_600_000;
    expect(await come(mailFrom('192.0.2.1'))).toBe(303);
  });

  test('[MAIL-2] While the store is unreachable, no recent e-mails pile up, and the log says how many are lost', async () => {
    isAway = true;
    for (let mail = 0; mail < 1_000; mail += 1)
      records.record(mailFrom('192.0.2.1', { isUnauthenticated: false }));
    await records.stop();
    expect(warned.at(-1)).toEqual({ lost: 1_000 });
    isAway = false;
    expect(await come(mailFrom('192.0.2.1'))).toBe(1);
  });
});
