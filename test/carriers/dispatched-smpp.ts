/** An SMPP carrier bound to an SMSC, with dispatch and a store behind it, as in production except for upkeep and HTTP. */
import { afterEach } from 'vitest';
import type { SmppCarrier } from '../../src/carriers/smpp/carrier/smpp-carrier.ts';
import type { SmppSettings } from '../../src/carriers/smpp/settings.ts';
import { Dispatch } from '../../src/messages/dispatch/dispatch.ts';
import type { Store } from '../../src/storage/store.ts';
import { runningDispatches } from '../harness/running-dispatches.ts';
import { until } from './carrier-recorder.ts';
import { RawSmsc } from './raw-smsc.ts';
import { smppCarrier } from './smpp-setup.ts';

export interface DispatchedSmpp {
  readonly smsc: RawSmsc;
  readonly carrier: SmppCarrier;
  readonly dispatch: Dispatch;
  /** The number of outcomes of each kind. */
  readonly counts: Readonly<Record<string, number>>;
  /** The number of parts handed to the carrier whose outcome it has not reported yet. */
  inHand(): number;
}

/** Must be called where the tests are declared; everything begun is ended after each test. The node's id is 7. */
export function dispatchedSmpp(store: () => Store) {
  const open: Pick<DispatchedSmpp, 'smsc' | 'carrier'>[] = [];
  afterEach(async () => {
    for (const { smsc, carrier } of open.splice(0)) {
      await carrier.stop(0);
      await smsc.close();
    }
  });
  const running = runningDispatches();

  return async (settings: Partial<SmppSettings>): Promise<DispatchedSmpp> => {
    const smsc = await RawSmsc.listen();
    const carrier = smppCarrier(smsc.port, settings);
    open.push({ smsc, carrier });
    const counts: Record<string, number> = {};
    let inHand = 0;
    const submit = carrier.submit.bind(carrier);
    carrier.submit = (parts) => {
      inHand += parts.length;
      submit(parts);
    };
    const dispatch = new Dispatch({
      store: store(),
      clock: { now: Date.now },
      nodeId: 7,
      carrier,
      log: { warn: () => undefined, error: () => undefined },
      mayClaim: () => true,
      // Time advances by a millisecond per submission, so the pace of the carrier is the same on every machine.
      stopwatch: { elapsed: () => smsc.submissions.length },
    });
    running.push(dispatch);
    await carrier.start({
      outcome: (part, outcome) => {
        counts[outcome.kind] = (counts[outcome.kind] ?? 0) + 1;
        inHand -= 1;
        dispatch.outcome(part, outcome);
      },
      receipts: async () => undefined,
      unreadableReceipt: async () => undefined,
      incoming: async () => ({ id: '', routed: false }),
    });
    await until(() => (carrier.status().figures.bindsUp ?? 0) >= 1);
    return { smsc, carrier, dispatch, counts, inHand: () => inHand };
  };
}
