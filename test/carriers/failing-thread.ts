/** Entry of a thread of SMPP carriers that ends by itself a moment after it was handed something. */
import { type MessagePort, parentPort } from 'node:worker_threads';
import type { CarrierOrder, ThreadOrder } from '../../src/carriers/smpp/crossing.ts';
import { serveCarrier } from '../../src/carriers/smpp/served-carrier.ts';

parentPort?.on('message', (order: ThreadOrder) => {
  if (order === 'leave') parentPort?.close();
  else {
    serveCarrier(order);
    failAfterSubmission(order.port);
  }
});

function failAfterSubmission(port: MessagePort): void {
  port.on('message', ({ kind }: CarrierOrder) => {
    if (kind !== 'submit') return;
    setTimeout(() => {
      throw new Error('on purpose');
    }, 50);
  });
}
