/**
 * Loaded into a server under test before its own code: writes down what its carriers are handed and what they
 * answer, each before it happens, into a file that outlives the kill of the process.
 */
import { openSync, writeSync } from 'node:fs';
import type { CarrierEvents, OutgoingPart } from '../../src/carriers/carrier.ts';
import { Simulator } from '../../src/carriers/simulator.ts';
import { CarrierProxy } from '../../src/carriers/smpp/thread/carrier-proxy.ts';

const file = process.env.CARRIER_LEDGER as string;
let descriptor: number | undefined;

/** A line is whole only with its last word, and begins anew: a kill may cut off the one before it. */
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
