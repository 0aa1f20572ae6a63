/** Tests a node's part in the tests of carriers: each is handed over once or never, and no answer is lost to an outage. */
import { expect, test } from 'vitest';
import { until } from '../../../test/harness/awake.ts';
import { deliveryStore } from '../../../test/harness/delivery-store.ts';
import { FaultyStore } from '../../../test/harness/faulty-store.ts';
import { accepted, ScriptedCarrier } from '../../../test/harness/scripted-carrier.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import { operator } from '../../audit/audit-log.ts';
import { answerTest, askForTest, findTest, takeTests } from '../carrier-test.ts';
import { CarrierTests } from './carrier-tests.ts';

eachStore('tests of carriers at a node', (engine) => {
  const given = deliveryStore(engine);

  function node() {
    const store = new FaultyStore(given.store);
    const carrier = new ScriptedCarrier();
    const at = { now: 1_000, nodeId: 7 as number | undefined };
    const warnings: string[] = [];
    const tests = new CarrierTests({
      store,
      clock: { now: () => at.now },
      nodeId: () => at.nodeId,
      carriers: () => [carrier],
      log: { warn: (_, message) => warnings.push(message) },
    });
    carrier.outcome = (part, outcome) => tests.outcome(part, outcome);
    tests.start();
    return { store, carrier, at, warnings, tests };
  }

  async function ask(): Promise<number> {
    const sms = { recipient: '46701740699', sender: 'Me', text: 'Hi', by: operator, now: 1_000 };
    const asked = await given.store.write(askForTest, { carrier: 'carrier 1', ...sms });
    if (typeof asked === 'string') throw new Error(asked);
    return asked.id;
  }

  const found = (id: number) => given.store.read(findTest, id);
  const untilOutcome = (id: number) => until(async () => (await found(id))?.outcome !== null);

  test('[PORT-11] [DLV-7] An answer to a test is stored once the store is back, and one that it never takes holds up no other', async () => {
    const { store, carrier, warnings, tests } = node();
    carrier.rule = accepted;
    store.refuse(answerTest.name, 1);
    store.loseAnswers(answerTest.name, 1);
    const first = await ask();
    tests.wake();
    await untilOutcome(first);
    expect(await found(first)).toMatchObject({ outcome: 'accepted', carrierMessageId: `${first}/1` });
    await until(() => store.calls.filter((name) => name === answerTest.name).length === 3);
    store.reject(answerTest.name, 1);
    const second = await ask();
    tests.wake();
    await until(() => warnings.includes('what a carrier answered to a test could not be stored'));
    const third = await ask();
    tests.wake();
    await untilOutcome(third);
    expect([(await found(second))?.outcome, carrier.submitted.length]).toEqual([null, 3]);
    await tests.stop();
  });

  test('[PORT-11] [DLV-6] A stop stores the answers that came during it, and hands over nothing more', async () => {
    const { carrier, at, tests } = node();
    const first = await ask();
    tests.wake();
    await until(() => carrier.open.length > 0);
    at.nodeId = undefined;
    const second = await ask();
    tests.wake();
    carrier.answerAll(accepted);
    await tests.stop();
    expect(await found(first)).toMatchObject({ outcome: 'accepted' });
    expect(await found(second)).toMatchObject({ outcome: null, nodeId: null });
    expect(carrier.submitted).toHaveLength(1);
  });

  test.for(['the time is over', 'the carrier is down', 'the node is another', 'the node stops'] as const)(
    '[PORT-11] [DLV-7] A test whose taking was slow to be stored is not handed over if meanwhile %s',
    async (what) => {
      const { store, carrier, at, tests } = node();
      const goOn = store.holdAnswers(takeTests.name, 1);
      const id = await ask();
      tests.wake();
      await until(async () => (await found(id))?.nodeId === 7);
      if (what === 'the time is over') at.now = 11_001;
      else if (what === 'the carrier is down') carrier.state = 'down';
      else at.nodeId = what === 'the node stops' ? undefined : 8;
      goOn();
      await untilOutcome(id);
      expect(await found(id)).toMatchObject({ outcome: 'notTaken' });
      expect(carrier.submitted).toEqual([]);
      await tests.stop();
    },
  );
});
