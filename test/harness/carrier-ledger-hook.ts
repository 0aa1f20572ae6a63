/**
 * Loaded into a server under test before the server's own code. Records which parts the server's carriers are handed and how
 * they respond, each time before it happens, in a file that survives killing the process.
 */
import { openSync, writeSync } from 'node:fs';
import type { CarrierEvents, OutgoingPart } from '../../src/carriers/carrier.ts';
import { Simulator } from '../../src/carriers/simulator.ts';
import { CarrierProxy } from '../../src/carriers/smpp/thread/carrier-proxy.ts';

const file = process.env.CARRIER_LEDGER as string;
let descriptor: number | undefined;

/**
 * A line is complete only if it has its last word, and each starts with a line break, since a kill may have cut off the
 * previous one.
 */
function note(what: string, parts: readonly OutgoingPart[]): void {
  descriptor ??= openSync(file, 'a');
  const now = Date.now();
  const lines = parts.map(({ messageId, part }) => `\n${what} ${now} ${messageId} ${part} end`);
  writeSync(descriptor, `${lines.join('')}\n`);
}

for (const { prototype } of [Simulator, CarrierProxy]) {
  const { submit, start } = prototype;

  prototype.submit = function (parts) {
    if (parts.length > 0) note('out', parts);
    return submit.call(this as never, parts);
  };

  prototype.start = function (events) {
    return start.call(this as never, watched(events));
  };
}

function watched(events: CarrierEvents): CarrierEvents {
  return {
    ...events,
    outcome(part, result) {
      note(result.kind, [part]);
      events.outcome(part, result);
    },
  };
}
