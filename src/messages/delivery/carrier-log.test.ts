import { expect, test } from 'vitest';
import type { CarrierStatus } from '../../carriers/carrier.ts';
import { CarrierLog } from './carrier-log.ts';

test('[DLV-3] [RUN-4] a carrier that goes down is told once for each reason, and when it is up again', () => {
  const lines: string[] = [];
  const tell = (level: string) => (details: object, message: string) =>
    lines.push(`${level} ${message} ${JSON.stringify(details)}`);
  let now: Pick<CarrierStatus, 'state' | 'reason'> = { state: 'starting', reason: null };
  const log = new CarrierLog({
    carriers: () => [{ name: 'op', status: () => ({ ...now, since: 0, figures: {} }) }],
    log: { warn: tell('warn'), info: tell('info') },
  });
  const seen: readonly (typeof now)[] = [
    { state: 'starting', reason: null },
    { state: 'up', reason: null },
    { state: 'up', reason: 'window-limited' },
    { state: 'up', reason: null },
    { state: 'down', reason: 'the SMSC unbound' },
    { state: 'down', reason: 'the SMSC unbound' },
    { state: 'down', reason: "can't be reached" },
    { state: 'up', reason: null },
  ];
  for (const status of seen) {
    now = status;
    log.look();
  }
  expect(lines).toEqual([
    'info the carrier is up {"carrier":"op"}',
    'warn the carrier is down {"carrier":"op","reason":"the SMSC unbound"}',
    'warn the carrier is down {"carrier":"op","reason":"can\'t be reached"}',
    'info the carrier is up {"carrier":"op"}',
  ]);
});
