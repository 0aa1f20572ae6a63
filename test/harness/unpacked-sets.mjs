/** Loaded into each thread of a server under test: writes to standard error the sets that another thread gets unpacked. */
import { writeSync } from 'node:fs';
import { MessagePort, Worker } from 'node:worker_threads';

writeSync(2, 'sets are watched\n');
for (const { prototype } of [MessagePort, Worker]) {
  const { postMessage } = prototype;
  prototype.postMessage = function post(message, transfer) {
    for (const items of unpackedIn(message)) writeSync(2, `unpacked: ${JSON.stringify(items)}\n`);
    return postMessage.call(this, message, transfer);
  };
}

function unpackedIn(value) {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  if (Array.isArray(value.items) && value.items.every(isUsual))
    return value.items.length > 0 ? [value.items] : [];
  return Object.values(value).flatMap(unpackedIn);
}

/** A part that a carrier did not accept, as on a busy machine, has other keys. */
function isUsual(item) {
  return (item?.kind ?? 'accepted') === 'accepted';
}
