import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { carrierConformance } from '../../../../test/carriers/carrier-conformance.ts';
import { messages } from '../../../../test/carriers/carrier-recorder.ts';
import { deliveringSmsc } from '../../../../test/carriers/delivering-smsc.ts';
import type { RawSmsc } from '../../../../test/carriers/raw-smsc.ts';
import { linkUp, smppCarrier, unlinkAll } from '../../../../test/carriers/smpp-setup.ts';
import { until } from '../../../../test/harness/awake.ts';
import { holdTime, letTimeGo, passDuring, passUntil } from '../../../../test/harness/held-time.ts';

const open: RawSmsc[] = [];
afterEach(() => Promise.all(open.splice(0).map((smsc) => smsc.close())));

carrierConformance({
  title: 'SMPP',
  async make({ window, throughput, instance, ...times }) {
    const smsc = await deliveringSmsc({ ...times, instance });
    open.push(smsc);
    return smppCarrier(smsc.port, { window, throughput }, instance);
  },
  reached: () => open.at(-1)?.submissions.length ?? 0,
  delivered: '46701740600',
  undeliverable: '46701740606',
});

describe('the rate', () => {
  beforeEach(holdTime);
  afterEach(async () => {
    await passDuring(unlinkAll());
    letTimeGo();
  });

  test('[DLV-2] [SEND-13] A message that expired while it waited uses none of the rate', async () => {
    const { smsc, carrier, heard } = await linkUp({ throughput: 2 });
    carrier.submit(messages(1, { expiresAt: Date.now() - 1 }));
    expect(heard.ofKind('retryAt')).toHaveLength(1);
    carrier.submit(messages(1));
    // It is sent although no time passes.
    await until(() => smsc.submissions.length === 1);
  });

  test('[DLV-2] [DLV-4] A long text sent in one piece uses as much of the rate as the SMS that are made of it', async () => {
    const { smsc, carrier } = await linkUp({ throughput: 20, concatenation: 'payload' });
    expect(carrier.takesWhole).toBe(true);
    const beganMs = performance.now();
    carrier.submit(messages(5).map((part) => ({ ...part, text: 'x'.repeat(700), smsParts: 5 })));
    // Five SMS take a quarter of a second; the burst of two shortens the first pause.
    for (const [index, earliestMs] of [0, 200, 450, 700, 950].entries()) {
      await passUntil(() => smsc.submissions.length > index);
      expect(performance.now() - beganMs).toBeGreaterThanOrEqual(earliestMs);
    }
  });
});
