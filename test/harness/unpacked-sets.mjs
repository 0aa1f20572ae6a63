/** Loaded into each thread of a server under test: writes to standard error the sets that another thread gets unpacked. */
import { writeSync } from 'node:fs';
import { MessagePort, Worker } from 'node:worker_threads';

for (const { prototype } of [MessagePort, Worker]) {
  const { postMessage } = prototype;
  prototype.postMessage = function post(message, transfer) {
    for (const items of unpackedIn(message)) writeSync(2, `unpacked: ${JSON.stringify(items)}\n`);
    return postMessage.call(this, message, transfer);
  };
}

function unpackedIn(value) {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value.items) && value.items.length > 0) return [value.items];
  return Object.values(value).flatMap(unpackedIn);
}
