import { afterEach, describe, expect, test } from 'vitest';
import { carrierConformance } from '../../../../test/carriers/carrier-conformance.ts';
import { CarrierRecorder, messages } from '../../../../test/carriers/carrier-recorder.ts';
import { deliveringSmsc } from '../../../../test/carriers/delivering-smsc.ts';
import { command, RawSmsc, receiptBody } from '../../../../test/carriers/raw-smsc.ts';
import { smppSettingsFor } from '../../../../test/carriers/smpp-setup.ts';
import { until } from '../../../../test/harness/awake.ts';
import { endlessLease } from '../../../../test/harness/endless-lease.ts';
import { systemClock } from '../../../foundation/clock.ts';
import { otherForms } from '../../../wire/smpp/message-id.ts';
import type { Receipt } from '../../carrier.ts';
import type { SmppSettings } from '../settings.ts';
import { CarrierProxy, type CarrierProxyOptions } from './carrier-proxy.ts';
import { SmppThread } from './smpp-thread.ts';

const shared = new SmppThread();
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function farCarrier(
  port: number,
  { thread = shared, instance = 1, name = 'operator', maxSilentMs, ...changes }: Changes = {},
) {
  const settings = smppSettingsFor(port, changes);
  const silence = maxSilentMs === undefined ? {} : { maxSilentMs };
  return new CarrierProxy({
    id: 1,
    name,
    settings,
    instance,
    clock: systemClock,
    thread,
    lease: endlessLease(),
    ...silence,
  });
}

type Changes = Partial<SmppSettings> &
  Partial<Pick<CarrierProxyOptions, 'thread' | 'instance' | 'name' | 'maxSilentMs'>>;

let delivering: RawSmsc | undefined;

carrierConformance({
  title: 'SMPP in its thread',
  hasOwnTime: true,
  async make({ window, throughput, instance, ...times }) {
    const smsc = await deliveringSmsc({ ...times, instance });
    closing.push(() => smsc.close());
    delivering = smsc;
    return farCarrier(smsc.port, { window, throughput, instance });
  },
  reached: () => delivering?.submissions.length ?? 0,
  delivered: '46701740600',
  undeliverable: '46701740606',
});

async function start(carrier: CarrierProxy): Promise<CarrierRecorder> {
  const heard = new CarrierRecorder();
  await carrier.start(heard);
  closing.push(() => carrier.stop(0));
  await until(() => carrier.status().state === 'up');
  return heard;
}

const failing = () => new SmppThread(new URL('../../../../test/carriers/failing-thread.ts', import.meta.url));

/**
 * Collects the reasons in the carrier's status from now on. A timer that is due fires before messages that another thread has
 * sent meanwhile.
 */
function reasonsOf(carrier: CarrierProxy): readonly string[] {
  const reasons: string[] = [];
  const looking = setInterval(() => {
    const { reason } = carrier.status();
    if (reason !== null && reason !== reasons.at(-1)) reasons.push(reason);
  }, 1);
  closing.push(async () => clearInterval(looking));
  return reasons;
}

describe('an SMPP carrier in its thread', () => {
  test('[DLV-5] A carrier in its thread looks for other forms of a message id by the carrier’s rule', async () => {
    const smsc = await RawSmsc.listen();
    closing.push(() => smsc.close());
    const heard = await start(farCarrier(smsc.port, { messageId: 'auto' }));
    smsc.session.request(command.deliverSm, receiptBody('0000000255', '46701740600'));
    await until(() => heard.stored.length === 1);
    const [receipt] = heard.stored as [Receipt];
    expect(receipt.otherIds?.()).toEqual(otherForms('0000000255', 'auto'));
    expect(receipt.otherIds?.()).toContain('ff');
  });

  test('[DLV-1] A carrier in its thread reports at once that the SMSC is gone, and why', async () => {
    const smsc = await RawSmsc.listen();
    const carrier = farCarrier(smsc.port);
    await start(carrier);
    await smsc.close();
    await until(() => carrier.status().state === 'down');
    expect(carrier.status().reason).toBe('the SMSC closed the connection');
  });

  test('[DLV-6] Parts held by a carrier thread that died are in doubt, and the next thread goes on', async () => {
    const smsc = await RawSmsc.listen();
    closing.push(() => smsc.close());
    // The SMSC accepts data but never responds.
    smsc.rules.set(command.submitSm, () => undefined);
    const carrier = farCarrier(smsc.port, { thread: failing() });
    const heard = await start(carrier);
    const reasons = reasonsOf(carrier);
    const parts = messages(3);
    carrier.submit(parts);
    await until(() => heard.outcomes.length === 3);
    expect(heard.ofKind('inDoubt').map(({ part }) => part)).toEqual(parts);
    expect(carrier.status().state).toBe('down');
    // In this turn of the event loop the carrier is still down.
    carrier.submit(messages(1));
    await new Promise((resolve) => setImmediate(resolve));
    expect(heard.ofKind('retryAt')).toHaveLength(1);
    await until(() => carrier.status().state === 'up');
    expect(reasons).toContainEqual(
      expect.stringMatching(/^the thread of SMPP carriers ended: on purpose \(at .*failing-thread/),
    );
  });

  test('[DLV-6] A carrier thread that does not come back to its event loop is ended, and another goes on', async () => {
    const smsc = await RawSmsc.listen();
    closing.push(() => smsc.close());
    const carrier = farCarrier(smsc.port, { thread: failing(), name: 'hanging', maxSilentMs: 3_000 });
    const heard = await start(carrier);
    const reasons = reasonsOf(carrier);
    // The message may have been written already.
    smsc.rules.set(command.submitSm, () => undefined);
    carrier.submit(messages(1));
    await until(() => heard.ofKind('inDoubt').length === 1);
    await until(() => carrier.status().state === 'up');
    expect(reasons).toContain('the thread of SMPP carriers ended: it reported nothing for 3000 ms');
  });

  test('[RUN-4] The thread of SMPP carriers ends with the last of its carriers, and another begins with the next', async () => {
    const smsc = await RawSmsc.listen();
    closing.push(() => smsc.close());
    const thread = new SmppThread();
    for (let round = 0; round < 2; round++) {
      // This port serves only to tell whether this life of the thread is over.
      const { port, ended } = thread.open(unreachable);
      const [one, other] = [farCarrier(smsc.port, { thread }), farCarrier(smsc.port, { thread })];
      await start(one);
      await start(other);
      port.close();
      let isOver = false;
      void ended.then(() => {
        isOver = true;
      });
      await one.stop(100);
      expect(other.status().state).toBe('up');
      expect(isOver).toBe(false);
      await other.stop(100);
      expect(await ended).toBeUndefined();
    }
  });

  test('[DLV-5] A store response for a carrier thread that is gone does not count for the next thread', async () => {
    const smsc = await RawSmsc.listen();
    closing.push(() => smsc.close());
    smsc.rules.set(command.submitSm, () => undefined);
    const carrier = farCarrier(smsc.port, { thread: failing() });
    const heard = await start(carrier);
    const storing: (() => void)[] = [];
    const store = () =>
      new Promise<void>((resolve) => {
        storing.push(resolve);
      });
    heard.storing = store();
    smsc.session.request(command.deliverSm, receiptBody('first', '46701740600'));
    await until(() => heard.receiptCalls === 1);
    carrier.submit(messages(1));
    await until(() => heard.outcomes.length === 1);
    await until(() => carrier.status().state === 'up');
    heard.storing = store();
    const answers = () => smsc.session.of(command.deliverSmResp).length;
    smsc.session.request(command.deliverSm, receiptBody('second', '46701740600'));
    await until(() => heard.receiptCalls === 2);
    storing[0]?.();
    await until(() => heard.stored.length === 1);
    smsc.session.request(command.enquireLink);
    await until(() => smsc.session.of(command.enquireLinkResp).length === 1);
    expect(answers()).toBe(0);
    storing[1]?.();
    await until(() => answers() === 1);
    expect(heard.stored.map(({ carrierMessageId }) => carrierMessageId)).toEqual(['first', 'second']);
  });

  test('[RUN-4] Parts submitted in the turn in which a stop ends are given back', async () => {
    const smsc = await RawSmsc.listen();
    closing.push(() => smsc.close());
    const carrier = farCarrier(smsc.port);
    const heard = await start(carrier);
    let isStopped = false;
    let submitted = 0;
    const submit = () => {
      if (isStopped) return;
      submitted += 1;
      carrier.submit(messages(1));
      setImmediate(submit);
    };
    const stopped = carrier.stop(100);
    setImmediate(submit);
    await stopped;
    isStopped = true;
    expect(submitted).toBeGreaterThan(0);
    expect(heard.ofKind('retryAt')).toHaveLength(submitted);
  });
});

const unreachable = {
  id: 9,
  name: 'unreachable',
  settings: smppSettingsFor(1),
  instance: 'x',
  lease: endlessLease().memory,
};
