import { afterEach } from 'vitest';
import { carrierConformance } from '../../../test/carriers/carrier-conformance.ts';
import { DeliveringUpstream } from '../../../test/carriers/delivering-upstream.ts';
import { httpCarrier, httpDeclaration } from '../../../test/carriers/http-setup.ts';

const open: DeliveringUpstream[] = [];
afterEach(() => Promise.all(open.splice(0).map(({ upstream }) => upstream.close())));

carrierConformance({
  title: 'HTTP',
  async make({ window, throughput, ...setup }) {
    const delivering = await DeliveringUpstream.listen(setup);
    open.push(delivering);
    const declaration = httpDeclaration(delivering.upstream.url, { window, throughput });
    const carrier = httpCarrier(declaration);
    delivering.reportTo(carrier, declaration);
    return carrier;
  },
  reached: () => open.at(-1)?.upstream.submissions.length ?? 0,
  delivered: '46701740600',
  undeliverable: '46701740606',
});
