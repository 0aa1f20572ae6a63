import { expect, test } from 'vitest';
import type { CarrierStatus } from '../../carriers/carrier.ts';
import { CarrierLog } from './carrier-log.ts';

/** The log lines so far. */
function watching(status: () => CarrierStatus): { look: () => void; lines: readonly string[] } {
  const lines: string[] = [];
  const tell = (level: string) => (details: object, message: string) =>
    lines.push(`${level} ${message} ${JSON.stringify(details)}`);
  const log = new CarrierLog({
    carriers: () => [{ name: 'op', status }],
    log: { warn: tell('warn'), info: tell('info') },
  });
  return { look: () => log.look(), lines };
}

test('[DLV-3] [RUN-4] A carrier that goes down is logged once for each reason, and again when it is up', () => {
  let now: Pick<CarrierStatus, 'state' | 'reason' | 'isTrying'> = {
    state: 'starting',
    reason: null,
  };
  const { look, lines } = watching(() => ({ ...now, since: 0, figures: {} }));
  const seen: readonly (typeof now)[] = [
    { state: 'starting', reason: null },
    { state: 'up', reason: null },
    { state: 'up', reason: 'window-limited' },
    { state: 'up', reason: null },
    { state: 'down', reason: 'the SMSC unbound' },
    { state: 'down', reason: 'the SMSC unbound' },
    { state: 'down', reason: "can't be reached" },
    { state: 'up', reason: 'it is being tried again', isTrying: true },
    { state: 'down', reason: "can't be reached" },
    { state: 'down', reason: 'HTTP 401' },
    { state: 'up', reason: null },
  ];
  for (const status of seen) {
    now = status;
    look();
  }
  expect(lines).toEqual([
    'info the carrier is up {"carrier":"op"}',
    'warn the carrier is down {"carrier":"op","reason":"the SMSC unbound"}',
    'warn the carrier is down {"carrier":"op","reason":"can\'t be reached"}',
    'warn the carrier is down {"carrier":"op","reason":"HTTP 401"}',
    'info the carrier is up {"carrier":"op"}',
  ]);
});

test('[DLV-3] [DLV-5] Damaged PDUs of a carrier are logged with their fault, in one line for all since the last check', () => {
  let damagedPdus = 0;
  const fault = 'deliverSm: The PDU ends with an incomplete optional parameter.';
  const { look, lines } = watching(() => ({
    state: 'up',
    since: 0,
    reason: null,
    figures: { damagedPdus },
    ...(damagedPdus === 0 ? {} : { damage: fault }),
  }));
  for (damagedPdus of [0, 0, 3, 3, 5]) look();
  const message = 'warn PDUs of the carrier were accepted without their unreadable parameters';
  expect(lines).toEqual([
    'info the carrier is up {"carrier":"op"}',
    ...[3, 2].map((count) => `${message} ${JSON.stringify({ carrier: 'op', damagedPdus: count, fault })}`),
  ]);
});
