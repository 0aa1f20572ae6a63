/** Entry point of the thread that SMPP carriers run in. It ends when the last carrier has closed its sockets. */
import { parentPort } from 'node:worker_threads';
import { hostCarrier } from './carrier-host.ts';
import type { ThreadOrder } from './protocol.ts';

parentPort?.on('message', (order: ThreadOrder) => {
  if (order === 'leave') parentPort?.close();
  else hostCarrier(order);
});
