import { afterEach, expect, test } from 'vitest';
import { carrierConformance } from '../../../../test/carriers/carrier-conformance.ts';
import { messages } from '../../../../test/carriers/carrier-recorder.ts';
import { deliveringSmsc } from '../../../../test/carriers/delivering-smsc.ts';
import type { RawSmsc } from '../../../../test/carriers/raw-smsc.ts';
import { linkUp, smppCarrier, unlinkAll } from '../../../../test/carriers/smpp-setup.ts';
import { awakeMs, until } from '../../../../test/harness/awake.ts';

const open: RawSmsc[] = [];
afterEach(() => Promise.all(open.splice(0).map((smsc) => smsc.close())));

carrierConformance({
  title: 'SMPP',
  async make({ window, throughput, instance, ...times }) {
    const smsc = await deliveringSmsc({ ...times, instance });
    open.push(smsc);
    return smppCarrier(smsc.port, { window, throughput }, instance);
  },
  delivered: '46701740600',
  undeliverable: '46701740606',
});

test('[DLV-2] [SEND-13] what expired while it waited takes nothing of the rate', async () => {
  const { smsc, carrier, heard } = await linkUp({ throughput: 2 });
  carrier.submit(messages(1, { expiresAt: Date.now() - 1 }));
  expect(heard.ofKind('retryAt')).toHaveLength(1);
  const submittedAt = awakeMs();
  carrier.submit(messages(1));
  await until(() => smsc.submissions.length === 1);
  expect(awakeMs() - submittedAt).toBeLessThan(400);
  await unlinkAll();
});

test('[DLV-2] [DLV-4] a long text in one piece takes as much of the rate as the SMS that are made of it', async () => {
  const { smsc, carrier } = await linkUp({ throughput: 20, concatenation: 'payload' });
  expect(carrier.takesWhole).toBe(true);
  const [startedAt, awakeAt] = [performance.now(), awakeMs()];
  carrier.submit(messages(5).map((part) => ({ ...part, text: 'x'.repeat(700), smsParts: 5 })));
  await until(() => smsc.submissions.length === 5);
  // The last goes when the 20 before it are made up for, but for the burst of 2.
  expect((smsc.submissions.at(-1)?.at ?? 0) - startedAt).toBeGreaterThan(850);
  expect(awakeMs() - awakeAt).toBeLessThan(1_800);
  await unlinkAll();
});
