import { expect, test } from 'vitest';
import { until } from '../../../test/harness/awake.ts';
import { deliveryStore, findMessage, range } from '../../../test/harness/delivery-store.ts';
import { listMessages, listParts, putMessages } from '../../../test/harness/delivery-verbs.ts';
import { FaultyStore } from '../../../test/harness/faulty-store.ts';
import { runningDispatches } from '../../../test/harness/running-dispatches.ts';
import { accepted, ScriptedCarrier } from '../../../test/harness/scripted-carrier.ts';
import { eachStore } from '../../../test/harness/stores.ts';
import type { Outcome, OutgoingPart } from '../../carriers/carrier.ts';
import { charge, stage, status } from '../message.ts';
import { CarrierStates, reportedCarrier } from '../nodes/carrier-states.ts';
import { inspectMessage } from '../operator/inspect.ts';
import { releaseDue } from '../upkeep/due-store.ts';
import { Dispatch } from './dispatch.ts';

eachStore('an outcome that the store does not take', (engine) => {
  const given = deliveryStore(engine);
  const running = runningDispatches();

  function begin(options: ConstructorParameters<typeof ScriptedCarrier>[0] = {}) {
    const carrier = new ScriptedCarrier(options);
    const store = new FaultyStore(given.store);
    const warnings: string[] = [];
    const errors: { readonly details: object; readonly message: string }[] = [];
    const time = { now: 10_000 };
    const dispatch = new Dispatch({
      store,
      clock: { now: () => time.now },
      nodeId: 7,
      carrier,
      mayClaim: () => true,
      log: {
        warn: (_, message) => warnings.push(message),
        error: (details, message) => errors.push({ details, message }),
      },
    });
    carrier.outcome = (part, outcome) => dispatch.outcome(part, outcome);
    running.push(dispatch);
    return { carrier, store, dispatch, warnings, errors, time };
  }

  /** An outcome that a link with a confused clock might report. */
  const broken = (part: OutgoingPart): Outcome => ({ ...accepted(part), submittedAt: 9_999.25 }) as Outcome;
  const statuses = async () => (await given.store.read(listMessages, null)).map((row) => row.status);

  test('[DLV-3] [DLV-7] An outcome that cannot be stored because of its content puts that message in doubt, and no other', async () => {
    const { carrier, dispatch, errors } = begin();
    const guilty = new Set([3, 40]);
    carrier.rule = (part) => (guilty.has(part.messageId) ? broken(part) : accepted(part));
    await given.store.write(
      putMessages,
      range(1, 60).map((id) => ({ id })),
    );
    dispatch.wake();
    await until(async () => carrier.submitted.length === 60 && dispatch.open === 0);
    for (const row of await given.store.read(listMessages, null)) {
      expect(row).toMatchObject(
        guilty.has(row.id)
          ? { status: status.QUEUED, stage: stage.retrying, in_doubt: 1, charge: charge.due }
          : { status: status.SENT, stage: stage.awaitingReceipt, in_doubt: 0 },
      );
    }
    expect(await given.store.read(listParts, null)).toHaveLength(58);
    expect(errors.map(({ details }) => details)).toMatchObject([
      { carrier: 'scripted', messageId: 3 },
      { carrier: 'scripted', messageId: 40 },
    ]);
    const inspected = await given.store.read(inspectMessage, 3);
    expect(inspected?.timeline.entries.at(-1)).toMatchObject({
      what: 'in doubt',
      reason: "what the carrier answered can't be stored",
    });
  });

  test('[DLV-3] [STAT-6] A message whose outcome can never be stored is given up after a few tries', async () => {
    const { carrier, dispatch, time } = begin();
    carrier.rule = broken;
    await given.store.write(putMessages, [{ id: 1 }]);
    for (let tries = 1; tries <= 3; tries++) {
      dispatch.wake();
      await until(async () => (await findMessage(given.store, 1)).in_doubt === tries);
      await until(() => dispatch.open === 0);
      time.now += 60_000;
      await given.store.write(releaseDue, { now: time.now, limit: 10 });
    }
    expect(await findMessage(given.store, 1)).toMatchObject({ status: status.UNKNOWN, stage: null });
    expect(carrier.submitted).toHaveLength(3);
  });

  test('[DLV-2] [DLV-7] While the store is out of reach outcomes are kept, the carrier gets nothing more, and no other replaces it', async () => {
    const { carrier, dispatch, store, warnings, errors, time } = begin({ window: 10 });
    const reported = reportedCarrier(carrier, dispatch);
    const states = new CarrierStates({ store: given.store, clock: { now: () => time.now } });
    states.follow({ nodeId: 7, reported: [reported], statusOf: () => reported.status() });
    carrier.rule = accepted;
    store.refuse('messages.recordOutcomes', Number.POSITIVE_INFINITY);
    await given.store.write(
      putMessages,
      range(1, 5).map((id) => ({ id })),
    );
    dispatch.wake();
    await until(() => reported.status().reason !== null);
    // The link itself is as healthy as before.
    expect(reported.status()).toEqual({
      ...carrier.status(),
      reason: "what it answers can't be stored: see the log",
    });
    await states.look();
    expect([states.isUp(1), states.downFor(0)]).toEqual([true, []]);
    // Nothing more is claimed or expected, so nothing more can become doubtful.
    await given.store.write(putMessages, [{ id: 6 }]);
    dispatch.wake();
    await until(() => warnings.length > 8);
    expect(carrier.submitted).toHaveLength(5);
    store.mend();
    await until(async () => (await statuses()).every((code) => code === status.SENT));
    expect(reported.status()).toEqual(carrier.status());
    expect(errors).toEqual([]);
    expect((await given.store.read(listMessages, null)).every((row) => row.in_doubt === 0)).toBe(true);
  });
});
