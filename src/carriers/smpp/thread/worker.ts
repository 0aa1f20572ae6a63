/** Entry of the thread that SMPP carriers run in. It ends by itself when the last of them has closed its sockets. */
import { parentPort } from 'node:worker_threads';
import { serveCarrier } from './carrier-host.ts';
import type { ThreadOrder } from './protocol.ts';

parentPort?.on('message', (order: ThreadOrder) => {
  if (order === 'leave') parentPort?.close();
  else serveCarrier(order);
});
