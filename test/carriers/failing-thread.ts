/**
 * Entry point of an SMPP carrier thread that fails a moment after it was handed something: with an error or, if the
 * carrier is named so, by never returning to its event loop.
 */
import { type MessagePort, parentPort } from 'node:worker_threads';
import { hostCarrier } from '../../src/carriers/smpp/thread/carrier-host.ts';
import {
  type CarrierOrder,
  slottedParts,
  type ThreadOrder,
} from '../../src/carriers/smpp/thread/protocol.ts';

parentPort?.on('message', (order: ThreadOrder) => {
  if (order === 'leave') parentPort?.close();
  else {
    hostCarrier(order);
    failAfterSubmission(order.port, order.name === 'hanging');
  }
});

function failAfterSubmission(port: MessagePort, isHanging: boolean): void {
  port.on('message', (order: CarrierOrder) => {
    if (order.kind !== 'go on' || slottedParts.unpack(order.parts).length === 0) return;
    setTimeout(() => {
      for (; isHanging; );
      throw new Error('on purpose');
    }, 50);
  });
}
