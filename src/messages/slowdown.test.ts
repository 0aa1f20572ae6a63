/** What a carrier that becomes slow was handed ahead goes back to its line in the store: dispatch, store and SMPP as they run. */
import { expect, test } from 'vitest';
import { dispatchedSmpp } from '../../test/carriers/dispatched-smpp.ts';
import { command, type RawPdu, recipientOf, type SmscSession } from '../../test/carriers/raw-smsc.ts';
import { until } from '../../test/harness/awake.ts';
import { deliveryStore, range } from '../../test/harness/delivery-store.ts';
import { listMessages, putMessages } from '../../test/harness/delivery-verbs.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { inspectMessage } from './inspect-store.ts';
import { charge, lane, stage, status } from './message.ts';

const ok = (session: SmscSession, pdu: RawPdu) => session.answer(pdu, 0, `id${pdu.sequence}\0`);

eachStore('a carrier that becomes slow', (engine) => {
  const given = deliveryStore(engine);
  const begin = dispatchedSmpp(() => given.store);

  const bulk = range(1, 1_500);
  const expiresAt = Date.now() + 3_600_000;
  const bulkRow = (id: number) => ({
    ...{ id, lane: lane.bulk, createdAt: id, dueAt: id, expiresAt },
    recipient: `4670${1_000_000 + id}`,
  });

  test('[BATCH-9] [DLV-3] lets an interactive SMS go before all but twice its window of bulk', async () => {
    const { smsc, dispatch, counts } = await begin({ window: 10 });
    let held: (() => void)[] | undefined;
    smsc.rules.set(command.submitSm, (session, pdu) => {
      // Quick at first, so that much is taken ahead; then slow from one moment to the next.
      if (smsc.submissions.length === 500) held = [];
      if (held === undefined) ok(session, pdu);
      else held.push(() => ok(session, pdu));
    });
    await given.store.write(putMessages, bulk.map(bulkRow));
    dispatch.wake();
    await until(() => (counts.givenBack ?? 0) > 0, 20_000);
    const submitted = smsc.submissions.length;
    const mostBefore = submitted + 2 * 10;
    await given.store.write(putMessages, [{ id: 9_000, recipient: '46709999999', expiresAt }]);
    dispatch.wake();
    // Slowly, one at a time.
    const place = () => smsc.submissions.findIndex((pdu) => recipientOf(pdu) === '46709999999');
    for (let turn = 0; turn < 100 && place() === -1; turn++) {
      held?.shift()?.();
      await until(() => held !== undefined && held.length >= 10);
    }
    expect(place()).toBeGreaterThan(0);
    expect(place()).toBeLessThan(mostBefore + 10);
    const rows = await given.store.read(listMessages, null);
    // What was given back waits where it stood: in the order of its age, before all that was never claimed.
    const waiting = rows.filter((row) => row.stage === stage.waiting && row.id !== 9_000);
    const again = waiting.filter(({ attempts }) => attempts > 0);
    expect(again.length).toBeGreaterThan(0);
    for (const row of again)
      expect(row).toMatchObject({ due_at: row.id, attempts: 1, charge: charge.reserved, in_doubt: 0 });
    const fresh = waiting.filter(({ attempts }) => attempts === 0).map(({ id }) => id);
    expect(Math.max(...again.map(({ id }) => id))).toBeLessThan(Math.min(...fresh));
  });

  test('[DLV-3] loses and repeats nothing, and tells each slowdown once', async () => {
    const { smsc, dispatch, counts } = await begin({ window: 10 });
    // Twice it answers nothing for a while.
    const held: (() => void)[] = [];
    let isSilent = false;
    smsc.rules.set(command.submitSm, (session, pdu) => {
      if (smsc.submissions.length % 500 === 0 && smsc.submissions.length < bulk.length) {
        isSilent = true;
        setTimeout(() => {
          isSilent = false;
          for (const answer of held.splice(0)) answer();
        }, 1_700);
      }
      if (isSilent) held.push(() => ok(session, pdu));
      else ok(session, pdu);
    });
    await given.store.write(putMessages, bulk.map(bulkRow));
    dispatch.wake();
    await until(() => counts.accepted === bulk.length, 25_000);
    await until(() => dispatch.open === 0);
    expect(counts.givenBack).toBeGreaterThan(0);
    // Each went to the SMSC once.
    expect(new Set(smsc.submissions.map(recipientOf)).size).toBe(bulk.length);
    expect(smsc.submissions).toHaveLength(bulk.length);
    const rows = await given.store.read(listMessages, null);
    const claims = rows.reduce((sum, { attempts }) => sum + attempts, 0);
    expect(claims).toBe(bulk.length + (counts.givenBack ?? 0));
    for (const row of rows) {
      expect(row.status).toBe(status.SENT);
      expect(row.attempts).toBeLessThanOrEqual(3);
    }
    const again = rows.find(({ attempts }) => attempts > 1);
    const inspected = await given.store.read(inspectMessage, again?.id ?? 0);
    const story = inspected?.timeline.entries.map(({ what }) => what) ?? [];
    expect(story.slice(0, 3)).toEqual(['accepted', 'claimed', 'given back']);
    expect(story.filter((what) => what === 'given back')).toHaveLength((again?.attempts ?? 0) - 1);
  });
});
