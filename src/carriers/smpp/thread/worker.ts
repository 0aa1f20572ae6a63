/** Entry of the thread that SMPP carriers run in. It ends by itself when the last of them has closed its sockets. */
import { parentPort } from 'node:worker_threads';
import type { ThreadOrder } from './crossing.ts';
import { serveCarrier } from './served-carrier.ts';

parentPort?.on('message', (order: ThreadOrder) => {
  if (order === 'leave') parentPort?.close();
  else serveCarrier(order);
});
