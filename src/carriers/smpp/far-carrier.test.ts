import { afterEach, describe, expect, test } from 'vitest';
import { carrierConformance } from '../../../test/carriers/carrier-conformance.ts';
import { CarrierRecorder, messages, until } from '../../../test/carriers/carrier-recorder.ts';
import { deliveringSmsc } from '../../../test/carriers/delivering-smsc.ts';
import { command, RawSmsc } from '../../../test/carriers/raw-smsc.ts';
import { smppSettingsFor } from '../../../test/carriers/smpp-setup.ts';
import { systemClock } from '../../foundation/clock.ts';
import { otherForms } from '../../wire/smpp/message-id.ts';
import type { Receipt } from '../carrier.ts';
import { FarCarrier } from './far-carrier.ts';
import type { SmppSettings } from './settings.ts';
import { SmppThread } from './smpp-thread.ts';

const shared = new SmppThread();
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function farCarrier(
  port: number,
  { thread = shared, instance = 1, ...changes }: Partial<SmppSettings> & Partial<Far> = {},
) {
  const settings = smppSettingsFor(port, changes);
  return new FarCarrier({ id: 1, name: 'operator', settings, instance, clock: systemClock, thread });
}

interface Far {
  readonly thread: SmppThread;
  readonly instance: number;
}

carrierConformance({
  title: 'SMPP in its thread',
  async make({ window, throughput, instance, ...times }) {
    const smsc = await deliveringSmsc({ ...times, instance });
    closing.push(() => smsc.close());
    return farCarrier(smsc.port, { window, throughput, instance });
  },
  delivered: '46701740600',
  undeliverable: '46701740606',
});

async function start(carrier: FarCarrier): Promise<CarrierRecorder> {
  const heard = new CarrierRecorder();
  await carrier.start(heard);
  closing.push(() => carrier.stop(0));
  await until(() => carrier.status().state === 'up');
  return heard;
}

describe('an SMPP carrier in its thread', () => {
  test('[DLV-5] asks for other forms of an id by the rule of the carrier', async () => {
    const smsc = await deliveringSmsc({ answerMs: 0, receiptMs: 5, instance: 0 });
    closing.push(() => smsc.close());
    const carrier = farCarrier(smsc.port, { messageId: 'auto' });
    const heard = await start(carrier);
    carrier.submit(messages(1));
    await until(() => heard.stored.length === 1);
    const [receipt] = heard.stored as [Receipt];
    expect(receipt.otherIds?.()).toEqual(otherForms(receipt.carrierMessageId, 'auto'));
    expect(receipt.otherIds?.()).toContain(receipt.carrierMessageId.toUpperCase());
  });

  test('[DLV-1] tells at once that the SMSC is gone, and why', async () => {
    const smsc = await RawSmsc.listen();
    const carrier = farCarrier(smsc.port);
    await start(carrier);
    await smsc.close();
    await until(() => carrier.status().state === 'down');
    expect(carrier.status().reason).toBe('the SMSC closed the connection');
  });

  test('[DLV-6] what a thread had that ended by itself is in doubt; the next thread goes on', async () => {
    const smsc = await RawSmsc.listen();
    closing.push(() => smsc.close());
    // It takes what it is given, and answers nothing.
    smsc.rules.set(command.submitSm, () => undefined);
    const thread = new SmppThread(new URL('../../../test/carriers/failing-thread.ts', import.meta.url));
    const carrier = farCarrier(smsc.port, { thread });
    const heard = await start(carrier);
    const parts = messages(3);
    carrier.submit(parts);
    await until(() => heard.outcomes.length === 3);
    expect(heard.ofKind('inDoubt').map(({ part }) => part)).toEqual(parts);
    expect(carrier.status()).toMatchObject({
      state: 'down',
      reason: 'the thread of SMPP carriers ended: on purpose',
    });
    carrier.submit(messages(1));
    await until(() => heard.ofKind('retryAt').length === 1);
    await until(() => carrier.status().state === 'up');
  });

  test('[RUN-4] the thread ends with the last of its carriers, and another begins with the next', async () => {
    const smsc = await RawSmsc.listen();
    closing.push(() => smsc.close());
    const thread = new SmppThread();
    for (let round = 0; round < 2; round++) {
      const [one, other] = [farCarrier(smsc.port, { thread }), farCarrier(smsc.port, { thread })];
      await start(one);
      await start(other);
      expect(thread.isRunning).toBe(true);
      await one.stop(100);
      expect(thread.isRunning).toBe(true);
      await other.stop(100);
      await until(() => !thread.isRunning);
    }
    expect(thread.failure).toBeUndefined();
  });
});
