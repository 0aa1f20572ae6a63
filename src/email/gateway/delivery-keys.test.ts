import { describe, expect, test } from 'vitest';
import { mailOf, plainMail, rawMail } from '../../../test/harness/raw-mail.ts';
import type { Proof } from '../proof/sender-proof.ts';
import { type DeliveredMail, deliveryKeys, keyKeptForMs } from './delivery-keys.ts';

const now = 1_700_000_000_000;
const relay: Proof = { method: 'trusted relay', address: '10.0.0.1' };
/** Of several valid signatures, each with the fields it covers, the first proves the sender. */
const signatures = (
  ...valid: readonly (readonly [signature: string, ...signedFields: string[]])[]
): Proof => {
  const all = valid.map(([signature, ...signedFields]) => ({ signature, signedFields, signedAt: now }));
  const proving = all.slice(0, 1);
  return { method: 'DKIM', domain: 'care.example', selector: 's1', proving, valid: all, spf: 'fail' };
};
const dkim = (...fields: string[]): Proof => signatures(['QQ==', ...fields], ['Qg==', ...fields]);
const id = 'Message-ID: <1@care.example>';
const date = 'Date: Mon, 03 Jun 2024 10:00:00 +0200';

async function keysOf(header: readonly string[], more: Partial<DeliveredMail & { text: string }> = {}) {
  const octets = plainMail(more.text ?? 'Hi', ['From: a@care.example', ...header]);
  const { header: read, messageId } = mailOf(octets);
  const sender = { local: 'a', domain: 'care.example' };
  const mail = { octets, header: read, messageId, sender, proof: relay, ...more };
  return deliveryKeys(mail, ['46701740699'], now);
}

const same = async (one: Parameters<typeof keysOf>, other: Parameters<typeof keysOf>): Promise<boolean> => {
  const known = new Set((await keysOf(...one)).map(({ key }) => key));
  return (await keysOf(...other)).some(({ key }) => known.has(key));
};

describe('an e-mail is the same', () => {
  test.each<[string, boolean, Parameters<typeof keysOf>, Parameters<typeof keysOf>]>([
    ['by its Message-ID, whatever else it says', true, [[id]], [[id, date], { text: 'Other' }]],
    ['not by another', false, [[id]], [['Message-ID: <2@care.example>']]],
    ['not of another sender', false, [[id]], [[id], { sender: { local: 'b', domain: 'care.example' } }]],
    ['without one by its words and date', true, [[date]], [['Received: by x', date]]],
    ['not with another date', false, [[date]], [['Date: Mon, 03 Jun 2024 10:00:01 +0200']]],
    ['not with other words', false, [[date]], [[date], { text: 'Other' }]],
    [
      'by its signature, where no Message-ID is signed',
      true,
      [[id], { proof: dkim('from') }],
      [[], { proof: dkim('from') }],
    ],
    [
      'by any of its signatures, however written',
      true,
      [[id], { proof: dkim('from') }],
      [['Message-ID: <2@x>'], { proof: signatures(['QR==', 'from']) }],
    ],
    [
      'by a signature that leaves out the Message-ID, though another one proved it that covers it',
      true,
      [[id], { proof: signatures(['QUFB', 'from', 'message-id'], ['QkJC', 'from']) }],
      [['Message-ID: <2@care.example>'], { proof: signatures(['QkJC', 'from']) }],
    ],
    [
      'not by a signature that covers another Message-ID',
      false,
      [[id], { proof: dkim('from', 'message-id') }],
      [['Message-ID: <2@care.example>'], { proof: dkim('from', 'message-id') }],
    ],
    [
      'by its signature, where a second Message-ID was put above the one that is signed',
      true,
      [[id, id], { proof: dkim('from', 'message-id') }],
      [['Message-ID: <2@x>', id], { proof: dkim('from', 'message-id') }],
    ],
  ])('[MAIL-2] An e-mail is or is not the same as another: %s', async (_name, isSame, one, other) => {
    expect(await same(one, other)).toBe(isSame);
  });

  test('[MAIL-2] An e-mail counts as the same for 30 days, but only for one hour if nothing shows when it was written', async () => {
    const keptFor = async (header: readonly string[], proof: Proof = relay) =>
      (await keysOf(header, { proof })).map(({ expiresAt }) => expiresAt - now);
    expect(await keptFor([id])).toEqual([keyKeptForMs]);
    expect(await keptFor([date])).toEqual([keyKeptForMs]);
    expect(await keptFor([])).toEqual([60 * 60_000]);
    expect(await keptFor([], dkim('from'))).toEqual([keyKeptForMs, keyKeptForMs, keyKeptForMs]);
  });

  test('[MAIL-2] An e-mail has each delivery key only once, even if its signature occurs twice in two spellings', async () => {
    const keys = (await keysOf([id], { proof: signatures(['QQ==', 'from'], ['QR==', 'from']) })).map(
      ({ key }) => key,
    );
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(2);
  });

  test('[MAIL-2] [RUN-4] The delivery keys of an e-mail reveal nothing about it', async () => {
    const octets = rawMail(['From: a@care.example', id], 'Hi');
    const [key] = await keysOf([id], { octets });
    expect(key).toMatchObject({ number: '46701740699', key: expect.stringMatching(/^[\w-]{43}$/) });
  });
});
