/**
 * Tests that messages handed over ahead return to their queue in the store when a carrier becomes slow, with dispatch, store
 * and SMPP as in production.
 */
import { expect, test } from 'vitest';
import { type DispatchedSmpp, dispatchedSmpp } from '../../../test/carriers/dispatched-smpp.ts';
import { command, recipientOf } from '../../../test/carriers/raw-smsc.ts';
import { pause, until } from '../../../test/harness/awake.ts';
import { deliveryStore, range } from '../../../test/harness/delivery-store.ts';
import { listMessages, putMessages } from '../../../test/harness/delivery-verbs.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { charge, lane, stage, status } from '../message.ts';
import { inspectMessage } from '../operator/inspect.ts';

const window = 2;

/** An SMSC that responds at once until the test makes it hold its responses. */
function holdingSmsc({ smsc, inHand }: DispatchedSmpp) {
  const held: (() => void)[] = [];
  let isSlow = false;
  smsc.rules.set(command.submitSm, (session, pdu) => {
    const answer = () => session.answer(pdu, 0, `id${pdu.sequence}\0`);
    if (isSlow) held.push(answer);
    else answer();
  });
  const goOn = () => {
    isSlow = false;
    for (const answer of held.splice(0)) answer();
  };
  return {
    held,
    goOn,
    /**
     * Becomes slow after this many submissions, but not before many messages have been claimed ahead; some of them are
     * then given back.
     */
    async becomeSlow(submissions: number): Promise<void> {
      await until(() => smsc.submissions.length >= submissions && inHand() > 2 * window + 1);
      isSlow = true;
    },
  };
}

eachStore('a carrier that becomes slow', (engine) => {
  const given = deliveryStore(engine);
  const begin = dispatchedSmpp(() => given.store);

  const bulk = range(1, 600);
  const expiresAt = Date.now() + 3_600_000;
  const bulkRow = (id: number) => ({
    id,
    lane: lane.bulk,
    createdAt: id,
    dueAt: id,
    expiresAt,
    recipient: `4670${1_000_000 + id}`,
  });

  test('[BATCH-9] [DLV-3] A carrier that becomes slow gets an interactive SMS before all but twice its window of bulk', async () => {
    const link = await begin({ window });
    const { smsc, dispatch, counts } = link;
    const { held, becomeSlow } = holdingSmsc(link);
    await given.store.write(putMessages, bulk.map(bulkRow));
    dispatch.wake();
    await becomeSlow(100);
    await until(() => (counts.givenBack ?? 0) > 0);
    const submitted = smsc.submissions.length;
    const maxBefore = submitted + 2 * window;
    await given.store.write(putMessages, [{ id: 9_000, recipient: '46709999999', expiresAt }]);
    dispatch.wake();
    // The SMSC responds slowly, one at a time.
    const place = () => smsc.submissions.findIndex((pdu) => recipientOf(pdu) === '46709999999');
    for (let turn = 0; turn < 100 && place() === -1; turn++) {
      held.shift()?.();
      await until(() => held.length >= window);
    }
    expect(place()).toBeGreaterThan(0);
    expect(place()).toBeLessThan(maxBefore + window);
    const rows = await given.store.read(listMessages, null);
    // Messages that were given back keep their place: ordered by age, before all that were never claimed.
    const waiting = rows.filter((row) => row.stage === stage.waiting && row.id !== 9_000);
    const again = waiting.filter(({ attempts }) => attempts > 0);
    expect(again.length).toBeGreaterThan(0);
    for (const row of again)
      expect(row).toMatchObject({ due_at: row.id, attempts: 1, charge: charge.reserved, in_doubt: 0 });
    const fresh = waiting.filter(({ attempts }) => attempts === 0).map(({ id }) => id);
    expect(Math.max(...again.map(({ id }) => id))).toBeLessThan(Math.min(...fresh));
  });

  test('[DLV-3] A slowdown of a carrier loses and repeats no message, and appears in a message’s timeline once', async () => {
    const link = await begin({ window });
    const { smsc, dispatch, counts } = link;
    const { becomeSlow, goOn } = holdingSmsc(link);
    await given.store.write(putMessages, bulk.map(bulkRow));
    dispatch.wake();
    // The SMSC twice stops responding for a while.
    for (const submissions of [100, 300]) {
      await becomeSlow(submissions);
      const before = counts.givenBack ?? 0;
      await until(() => (counts.givenBack ?? 0) > before);
      await pause(300);
      goOn();
    }
    await until(() => counts.accepted === bulk.length);
    await until(() => dispatch.open === 0);
    expect(counts.givenBack).toBeGreaterThan(0);
    // Each message went to the SMSC once.
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
