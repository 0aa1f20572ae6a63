/** Tests that people who have opted out get no SMS: neither by a call, nor what waited while they opted out. */

import { beforeEach, expect, test } from 'vitest';
import { until } from '../../test/harness/awake.ts';
import { advanceAll, chunkRow, putBatch } from '../../test/harness/batches.ts';
import { giveToJobs, listLeases } from '../../test/harness/lease-verbs.ts';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore, type FreshStore } from '../../test/harness/stores.ts';
import { type Account, findAccountByUsername } from '../accounts/account.ts';
import { callerOf } from '../accounts/caller.ts';
import { operator } from '../audit/audit-log.ts';
import { ServiceError } from '../foundation/errors.ts';
import { readReason } from '../foundation/sentences.ts';
import { Turns } from '../foundation/turns.ts';
import { listNearMisses } from '../opt-outs/near-miss.ts';
import { addOptOuts, findOptedOut, type OptOutCategory } from '../opt-outs/opt-out.ts';
import { RoutingTable } from '../routing/routing-table.ts';
import { SenderOwners } from '../routing/sender-owners.ts';
import { Ids } from '../storage/ids.ts';
import { News } from '../storage/news.ts';
import { SavedTemplates } from '../templates/saved-templates.ts';
import type { OptOutPolicy } from '../wire/category.ts';
import { assignUnrouted } from './conversations/numbers.ts';
import { claimMessages } from './dispatch/claim.ts';
import { receive } from './incoming/incoming.ts';
import { listDueReplies, replyEveryMs, replyPatienceMs } from './incoming/opt-out-replies.ts';
import { replyToWords, sendReply, textOf } from './incoming/send-opt-out-replies.ts';
import { readUnreadIncoming } from './incoming/store.ts';
import { readUsage } from './management/usage.ts';
import { status } from './message.ts';
import { enterNode } from './nodes/store.ts';
import { inspectMessage, listUnrouted } from './operator/inspect.ts';
import { listOptOutPolicies } from './opted-out.ts';
import { plainRequest, type SendRequest } from './sending/parameters.ts';
import { preview } from './sending/preview.ts';
import { type Sending, type Sent, send } from './sending/send.ts';
import { releaseDue } from './upkeep/due-store.ts';

const start = Date.parse('2026-06-15T12:00:00Z');
const personSecret = '00';
const rented = '46731230001';
/** Numbers of the reply pool: one for all companies, and one for this company alone. */
const [pooled, own] = ['46731239001', '46731239002'];
const [ann, bo] = ['46701740601', '46701740602'];
const hourMs = 60 * 60_000;

eachStore('opting out', (engine) => {
  let fresh: FreshStore;
  const clock = { time: start, now: () => clock.time };
  const { linesOf: apply } = provisioningOf(() => fresh.store);
  let nodeId = 7;

  const fileOf = (policy: OptOutPolicy, more = '') => `
carriers: [{ name: sim, type: simulator }]
companies:
  - { name: Clinic, optOuts: ${policy}, language: sv, quotaParts: 100, users: [
      { username: anna, id: 10, roles: [send], defaultSender: Clinic${more} }] }
numbers: [
  { number: "${rented}", rentedBy: anna }, { number: "${pooled}", pool: true },
  { number: "${own}", pool: true, company: Clinic }]`;

  beforeEach(async () => {
    clock.time = start;
    fresh = await engine.openFreshStore();
  });

  /** Before each use, since the store may have been opened again. */
  function sending(Routes = RoutingTable): Sending {
    const { store } = fresh;
    const carrier = { id: 1, name: 'sim', type: 'simulator' as const, settings: {} };
    const numbers = [
      { number: rented, pool: 0, companyId },
      { number: pooled, pool: 1, companyId: null },
      { number: own, pool: 1, companyId },
    ];
    const owners = new SenderOwners({ numbers, listed: [] });
    const routes = new Routes(
      [{ name: 'all', prefix: '', carriers: ['sim'] }],
      [carrier],
      () => true,
      () => owners,
    );
    return {
      store,
      clock,
      ids: new Ids(store, 'message', 1_000),
      routes: () => routes,
      templates: new SavedTemplates(store, new News(store)),
      dispatching: { expect: () => undefined, wake: () => undefined },
      observer: { accepted: () => undefined },
      turns: new Turns(),
      personSecret,
      security: { record: () => undefined },
    };
  }

  let companyId = 0;
  async function anna() {
    const account = (await fresh.store.read(findAccountByUsername, 'anna')) as Account;
    companyId = account.company.id;
    return callerOf(account);
  }

  async function sendAsAnna(change: Partial<SendRequest>): Promise<Sent | ServiceError> {
    const caller = await anna();
    try {
      return await send(sending(), caller, { ...plainRequest, message: 'Hello', ...change }, undefined);
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  }

  async function optOut(phone: string, category: OptOutCategory): Promise<void> {
    const { username, companyId } = await anna();
    const by = { username, session: undefined };
    const optOuts = [{ phone, category, source: 'api' as const }];
    await fresh.store.write(addOptOuts, { companyId, by, now: clock.time, secret: personSecret, optOuts });
  }

  async function hear(sender: string, text: string, recipient = rented): Promise<void> {
    const ids = new Ids(fresh.store, 'incoming', 10);
    await receive({ store: fresh.store, clock, ids, personSecret }, 1, { sender, recipient, text });
  }

  async function claim() {
    const { store } = fresh;
    nodeId += 1;
    await store.write(enterNode, { nodeId, now: clock.time });
    await store.write(releaseDue, { now: clock.time, limit: 100 });
    const companies = await store.read(listOptOutPolicies, null);
    const policies = new Map(companies.map((company) => [company.companyId, company.optOuts]));
    const optOuts = { policies, secret: personSecret };
    const asked = { carrierId: 1, nodeId, room: 100, bulkFloor: 10, now: clock.time, optOuts };
    return store.write(claimMessages, asked);
  }

  const optedOut = async (phone: string) => {
    const found = await fresh.store.read(findOptedOut, { companyId, phones: [phone], secret: personSecret });
    return [...(found.get(phone) ?? [])];
  };
  const partsUsed = async () =>
    (await fresh.store.read(readUsage, { from: '', to: '' })).reduce((sum, { parts }) => sum + parts, 0);
  const unread = async () => {
    const asked = { companyId, userId: 10, limit: 100, latest: false, withOriginal: false };
    return (await fresh.store.read(readUnreadIncoming, asked)).map(({ text }) => text);
  };
  const due = async () => fresh.store.read(listDueReplies, { now: clock.time, limit: 10 });
  async function reply(): Promise<number> {
    const replies = await due();
    for (const one of replies) await sendReply(sending(), one);
    return replies.length;
  }
  const idOf = (sent: Sent | ServiceError) => Number((sent as Sent).accepted[0]?.id);
  const stateOf = async (id: number) => {
    const message = await fresh.store.read(inspectMessage, id);
    return { status: message?.status, why: message?.reason && readReason(message.reason).text };
  };

  test('[OPT-1] a recipient who has opted out is rejected with a reason, and a call to nobody else sends nothing', async () => {
    await apply(fileOf('honour'));
    await optOut(ann, 'all');
    expect(await sendAsAnna({ to: ['+46 70 174 06 01', bo] })).toMatchObject({
      accepted: [{ to: bo }],
      rejected: ['+46 70 174 06 01'],
      errors: [{ field: 'to[0]', code: 'opted_out', values: { sentence: 'opted_out' } }],
    });
    const alone = await sendAsAnna({ to: [ann] });
    expect(alone).toMatchObject({ code: 'nothing_queued', errors: [{ code: 'opted_out' }] });
    expect(await partsUsed()).toBe(1);
    const request = { ...plainRequest, to: [ann, bo], message: 'Hello' };
    const waiting = { isOver: false, closed: new AbortController().signal };
    expect(await preview(sending(), await anna(), request, { after: 0, limit: 10 }, waiting)).toMatchObject({
      accepted: 1,
      rejections: [{ to: ann, code: 'opted_out' }],
    });
  });

  test('[OPT-1] an opt-out is of one category or of all, and essential messages pass only where the company says so', async () => {
    await apply(fileOf('honour'));
    await optOut(ann, 'marketing');
    await optOut(bo, 'all');
    const accepted = async (category?: SendRequest['category']) => {
      const sent = await sendAsAnna({ to: [ann, bo], category });
      return sent instanceof ServiceError ? [] : sent.accepted.map(({ to }) => to);
    };
    expect(await accepted()).toEqual([ann]);
    expect(await accepted('marketing')).toEqual([]);
    expect(await accepted('essential')).toEqual([ann]);
    await apply(fileOf('essentialPasses', ', category: marketing'));
    expect(await accepted('essential')).toEqual([ann, bo]);
    expect(await accepted('notification')).toEqual([ann]);
    // The account's own category holds for calls that give none.
    expect(await accepted()).toEqual([]);
    await apply(fileOf('off'));
    expect(await accepted('marketing')).toEqual([ann, bo]);
  });

  test('[OPT-1] [OPT-2] a message that waits for its time is rejected if its recipient opts out meanwhile, and paid by nobody', async () => {
    await apply(fileOf('honour'));
    const scheduletime = new Date(start + hourMs).toISOString();
    const toAnn = await sendAsAnna({ to: [ann], scheduletime });
    const toBo = await sendAsAnna({ to: [bo], scheduletime });
    expect(await partsUsed()).toBe(2);
    await hear(ann, 'Stopp.');
    expect(await optedOut(ann)).toEqual(['all']);
    await fresh.reopen();
    clock.time += 2 * hourMs;
    const claimed = await claim();
    expect(claimed.messages.map(({ id }) => id)).toEqual([idOf(toBo)]);
    expect(claimed.held).toBe(1);
    expect(await stateOf(idOf(toAnn))).toEqual({
      status: status.REJECTED,
      why: 'the recipient has opted out',
    });
    expect(await partsUsed()).toBe(1);
    expect((await claim()).messages).toEqual([]);
    // The SMS arrives as ever.
    expect(await unread()).toEqual(['Stopp.']);
  });

  test('[OPT-1] an essential message that waits passes if the company lets it, and a marketing one does not', async () => {
    await apply(fileOf('essentialPasses'));
    const scheduletime = new Date(start + hourMs).toISOString();
    const sent = [];
    for (const category of ['essential', 'notification', 'marketing'] as const)
      sent.push(await sendAsAnna({ to: [ann], category, scheduletime }));
    await optOut(ann, 'all');
    clock.time += 2 * hourMs;
    expect((await claim()).messages.map(({ id }) => id)).toEqual([idOf(sent[0] as Sent)]);
    for (const one of sent.slice(1)) expect((await stateOf(idOf(one))).status).toBe(status.REJECTED);
  });

  test('[OPT-1] in a batch, messages to people who have opted out are rejected and free of charge', async () => {
    await apply(fileOf('honour'));
    await anna();
    const [, second] = [chunkRow(0), chunkRow(1)];
    const phone = second?.[0] as string;
    await optOut(phone, 'marketing');
    const batch = { companyId, userId: 10, now: clock.time, count: 4 };
    await putBatch(fresh.store, { ...batch, id: 1, category: 2 });
    await putBatch(fresh.store, { ...batch, id: 2 });
    await advanceAll(fresh.store, clock.time);
    expect(await partsUsed()).toBe(8);
    const claimed = await claim();
    // A batch of the standard category is not what the person has opted out of.
    expect(claimed.messages.filter(({ recipient }) => recipient === phone)).toHaveLength(1);
    expect(claimed.messages).toHaveLength(7);
    expect(await partsUsed()).toBe(7);
  });

  test('[OPT-1] a company that ignores opt-outs gets its messages, and nothing is asked for it', async () => {
    await apply(fileOf('off'));
    await optOut(ann, 'all');
    const sent = await sendAsAnna({ to: [ann] });
    await hear(ann, 'START');
    await hear(bo, 'STOP');
    expect(await optedOut(ann)).toEqual(['all']);
    expect(await optedOut(bo)).toEqual([]);
    expect((await claim()).messages.map(({ id }) => id)).toEqual([idOf(sent)]);
    expect(await fresh.store.read(listOptOutPolicies, null)).toEqual([]);
    expect(await due()).toEqual([]);
  });

  test('[OPT-2] STOP is confirmed once in 24 hours, from the same number, and the confirmation reaches who has opted out', async () => {
    await apply(fileOf('honour'));
    await anna();
    await hear(ann, 'STOP');
    await hear(ann, 'stop!');
    await fresh.reopen();
    expect(await reply()).toBe(1);
    expect(await reply()).toBe(0);
    const [confirmation] = (await claim()).messages;
    expect(confirmation).toMatchObject({
      recipient: ann,
      sender: rented,
      text: 'Clinic: du får inga fler sms från oss. Skicka START till det här numret om du vill ha dem igen.',
    });
    expect(await partsUsed()).toBe(1);
    clock.time += replyEveryMs - 1;
    await hear(ann, 'STOP');
    expect(await reply()).toBe(0);
    clock.time += 2;
    await hear(ann, 'STOP');
    expect(await reply()).toBe(1);
  });

  test('[OPT-2] of two nodes that send the same reply, one does', async () => {
    await apply(fileOf('honour'));
    await anna();
    await hear(ann, 'STOP');
    const [wanted] = await due();
    await Promise.all([wanted, wanted].map((one) => sendReply(sending(), one as NonNullable<typeof one>)));
    expect(await partsUsed()).toBe(1);
    expect((await claim()).messages).toHaveLength(1);
  });

  test('[OPT-2] START opts in again and is confirmed within the same limit; it says nothing to who gets SMS anyway', async () => {
    await apply(fileOf('honour'));
    await anna();
    await hear(bo, 'START');
    expect(await due()).toEqual([]);
    await optOut(ann, 'all');
    await optOut(ann, 'marketing');
    await hear(ann, 'Start');
    expect(await optedOut(ann)).toEqual([]);
    const [confirmation] = await due();
    expect(confirmation && textOf(confirmation)).toContain('du får sms från oss igen');
    // Until it is sent, the latest word counts.
    await hear(ann, 'STOP');
    const [instead, ...more] = await due();
    expect(instead && textOf(instead)).toContain('inga fler sms');
    expect(more).toEqual([]);
    expect(await reply()).toBe(1);
    await hear(ann, 'START');
    expect(await optedOut(ann)).toEqual([]);
    expect(await reply()).toBe(0);
  });

  test('[OPT-2] HELP is answered once with who sends and how to stop, beside the confirmation', async () => {
    await apply(fileOf('honour'));
    await anna();
    await hear(ann, 'HELP');
    await hear(ann, 'info');
    await hear(ann, 'STOP');
    const texts = (await due()).map(textOf);
    expect(texts).toHaveLength(2);
    expect(texts.some((text) => text.startsWith('Sms från det här numret skickas av Clinic.'))).toBe(true);
    expect(await reply()).toBe(2);
  });

  test('[OPT-2] a near miss waits for a person, and other texts and numbers of nobody do nothing', async () => {
    await apply(fileOf('honour'));
    await anna();
    await hear(ann, 'stop sending me this');
    await hear(bo, 'Yes');
    await hear(bo, 'NEJ');
    await hear(bo, 'STOP', '46709999999');
    const marked = await fresh.store.read(listNearMisses, { companyId, behind: null, limit: 10 });
    expect(marked).toMatchObject([{ phone: ann, number: rented, text: 'stop sending me this' }]);
    expect([...(await optedOut(ann)), ...(await optedOut(bo))]).toEqual([]);
    expect(await due()).toEqual([]);
  });

  test('[OPT-2] a confirmation that the quota does not cover is tried again for an hour', async () => {
    await apply(fileOf('honour').replace('quotaParts: 100', 'quotaParts: 0'));
    await anna();
    await hear(ann, 'STOP');
    expect(await reply()).toBe(1);
    expect(await due()).toEqual([]);
    clock.time += 5 * 60_000;
    expect(await due()).toHaveLength(1);
    await apply(fileOf('honour'));
    expect(await reply()).toBe(1);
    expect(await partsUsed()).toBe(1);
    await apply(fileOf('honour').replace('quotaParts: 100', 'quotaParts: 0'));
    await hear(bo, 'STOP');
    clock.time += replyPatienceMs;
    expect(await reply()).toBe(1);
    clock.time += replyPatienceMs;
    expect(await due()).toEqual([]);
  });

  async function twoWay(conversation: string): Promise<string> {
    const id = idOf(await sendAsAnna({ to: [ann], twoway: true, conversation }));
    return (await fresh.store.read(inspectMessage, id))?.sender ?? '';
  }

  test('[OPT-2] [SEND-16] STOP to a number of the pool is confirmed from it, which then waits for START in the same conversation', async () => {
    await apply(fileOf('honour'));
    const number = await twoWay('visit');
    expect([pooled, own]).toContain(number);
    await claim();
    await hear(ann, 'Stop', number);
    expect(await optedOut(ann)).toEqual(['all']);
    expect(await due()).toMatchObject([{ number, way: 'leased', conversation: 'visit', userId: 10 }]);
    clock.time += 60_000;
    expect(await reply()).toBe(1);
    expect((await claim()).messages).toMatchObject([{ recipient: ann, sender: number }]);
    const leases = await fresh.store.read(listLeases, null);
    expect(leases.map((lease) => [lease.number, lease.conversation, lease.startsAt])).toEqual([
      [number, 'visit', start],
      [number, 'visit', clock.time],
    ]);
    await hear(ann, 'START', number);
    expect(await optedOut(ann)).toEqual([]);
  });

  test('[OPT-2] [SEND-16] the confirmation leases no number that waits for an answer to a job meanwhile', async () => {
    await apply(fileOf('honour'));
    const number = await twoWay('visit');
    await claim();
    await hear(ann, 'STOP', number);
    await fresh.store.write(giveToJobs, null);
    const before = await fresh.store.read(listLeases, null);
    expect(await reply()).toBe(1);
    expect(await due()).toEqual([]);
    expect((await claim()).messages).toMatchObject([{ recipient: ann, sender: number }]);
    expect(await fresh.store.read(listLeases, null)).toEqual(before);
    expect(await partsUsed()).toBe(2);
  });

  test('[OPT-2] a number of the company that nobody rents or leases opts out and in, without a reply', async () => {
    await apply(fileOf('honour'));
    await anna();
    await hear(ann, 'STOP', own);
    await hear(bo, 'STOP', pooled);
    await hear(bo, 'stop sending me this', own);
    expect([await optedOut(ann), await optedOut(bo)]).toEqual([['all'], []]);
    const marked = await fresh.store.read(listNearMisses, { companyId, behind: null, limit: 10 });
    expect(marked).toMatchObject([{ phone: bo, number: own }]);
    await hear(ann, 'START', own);
    expect(await optedOut(ann)).toEqual([]);
    expect(await due()).toEqual([]);
  });

  test('[OPT-2] STOP to a number of no company is heeded when somebody gives the SMS to a user, and not again if it was before', async () => {
    await apply(fileOf('honour'));
    const given = async (phone: string, said: string, to: string) => {
      await hear(phone, said, to);
      const [sms] = await fresh.store.read(listUnrouted, { after: undefined, limit: 1 });
      const by = { companyId: null, username: 'anna', by: operator, now: clock.time, personSecret };
      return () => fresh.store.write(assignUnrouted, { ...by, id: sms?.id ?? 0 });
    };
    expect(await (await given(ann, 'Stop', '46709999999'))()).toBe('assigned');
    expect(await optedOut(ann)).toEqual(['all']);
    expect(await (await given(ann, 'START', '46709999999'))()).toBe('assigned');
    expect(await optedOut(ann)).toEqual(['all']);
    expect(await (await given(bo, 'stop sending me this', '46709999999'))()).toBe('assigned');
    expect(await fresh.store.read(listNearMisses, { companyId, behind: null, limit: 10 })).toHaveLength(1);
    expect(await due()).toEqual([]);
    const late = await given(bo, 'STOP', own);
    await hear(bo, 'START', own);
    expect(await optedOut(bo)).toEqual([]);
    await late();
    expect(await optedOut(bo)).toEqual([]);
  });

  test('[OPT-2] a reply that fails holds up no other', async () => {
    await apply(fileOf('honour'));
    await anna();
    await hear(ann, 'STOP');
    clock.time += 1;
    await hear(bo, 'STOP');
    class Faulty extends RoutingTable {
      override carrierFor(...[number, origin]: Parameters<RoutingTable['carrierFor']>) {
        if (number === ann) throw new Error('a fault of the routes');
        return super.carrierFor(number, origin);
      }
    }
    const warned: string[] = [];
    const log = { warn: (_: object, message: string) => void warned.push(message) };
    const replies = replyToWords({ sending: sending(Faulty), log }).start();
    await until(() => warned.length > 0);
    await replies.stop();
    expect((await due()).map(({ phone }) => phone)).toEqual([ann]);
    expect((await claim()).messages).toMatchObject([{ recipient: bo }]);
  });
});
