import { afterEach } from 'vitest';
import { carrierConformance } from '../../../test/carriers/carrier-conformance.ts';
import { deliveringSmsc } from '../../../test/carriers/delivering-smsc.ts';
import type { RawSmsc } from '../../../test/carriers/raw-smsc.ts';
import { smppCarrier } from '../../../test/carriers/smpp-setup.ts';

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
