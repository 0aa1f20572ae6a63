/** Runs a dispatch of node 7 on a test's store with a scripted carrier, and shows the outcome of its messages. */
import { Dispatch } from '../../src/messages/dispatch/dispatch.ts';
import { until } from './awake.ts';
import type { DeliveryStore } from './delivery-store.ts';
import { listMessages } from './delivery-verbs.ts';
import { FaultyStore } from './faulty-store.ts';
import { runningDispatches } from './running-dispatches.ts';
import { ScriptedCarrier } from './scripted-carrier.ts';

/** Call this where the tests are declared. */
export function dispatching(given: DeliveryStore) {
  const running = runningDispatches();

  function begin(options: ConstructorParameters<typeof ScriptedCarrier>[0] = {}) {
    const carrier = new ScriptedCarrier(options);
    const store = new FaultyStore(given.store);
    const warnings: string[] = [];
    let now = 10_000;
    const dispatch = new Dispatch({
      store,
      clock: { now: () => now },
      nodeId: 7,
      carrier,
      log: { warn: (_, message) => warnings.push(message), error: (_, message) => warnings.push(message) },
      mayClaim: () => true,
    });
    carrier.outcome = (part, outcome) => dispatch.outcome(part, outcome);
    running.push(dispatch);
    return { carrier, store, dispatch, warnings, setClock: (to: number) => (now = to) };
  }

  const statuses = async () => (await given.store.read(listMessages, null)).map((row) => row.status);

  async function untilStored(count: number, wanted: number): Promise<void> {
    await until(async () => (await statuses()).filter((one) => one === wanted).length === count);
  }

  return { begin, statuses, untilStored };
}

/** The parts handed over, in order. */
export const submittedParts = (carrier: ScriptedCarrier): string[] =>
  carrier.submitted.map(({ messageId, part }) => `${messageId}/${part}`);
