import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { faultLine, sortedFaults } from '../yaml/fault.ts';
import { readPlan } from './file.ts';

function faultsOf(carrier: string): readonly string[] {
  const { faults } = readPlan(`carriers:\n  - name: op\n    type: smpp\n${carrier.replace(/^/gm, '    ')}`);
  return sortedFaults(faults).map(faultLine);
}

const needed = 'host: smsc.example\nsystemId: me\npassword: secret';

describe('the settings of an SMPP carrier', () => {
  test('[DLV-1] [RUN-3] An SMPP carrier needs a host, a system id and a password, and all other settings have defaults', () => {
    const { plan, faults } = readPlan(`
carriers:
  - { name: op, type: smpp, host: smsc.example, systemId: 0815, password: 4711 }
  - name: op2
    type: smpp
    host: 192.0.2.1
    systemId: me
    password: pw
    interfaceVersion: 33
    shortTonNpi: 0/1
    receiptsPerMessage: one
    errors: { 0x401: fail:UNDELIVERABLE, ESME_RSUBMITFAIL: retry, 1027: passOn:REJECTED }
    receiptErrors:
      001: ABSENTSUBSCRIBER
      "00B": UNKNOWNSUBSCRIBER
`);
    expect(faults).toEqual([]);
    expect(plan?.carriers[0]?.settings).toMatchObject({
      host: 'smsc.example',
      port: 2775,
      systemId: '0815',
      password: '4711',
      bind: 'transceiver',
      window: 10,
      errors: {},
      receiptErrors: {},
      receiptsPerMessage: 'part',
      responseTimeoutMs: 30_000,
    });
    expect(plan?.carriers[1]?.settings).toMatchObject({
      interfaceVersion: '33',
      shortTonNpi: '0/1',
      receiptsPerMessage: 'one',
      errors: { '0x401': 'fail:UNDELIVERABLE', ESME_RSUBMITFAIL: 'retry', '1027': 'passOn:REJECTED' },
      receiptErrors: { '001': 'ABSENTSUBSCRIBER', '00B': 'UNKNOWNSUBSCRIBER' },
    });
    expect(faultsOf('port: 1')).toEqual([
      'carriers[0] (line 2, column 5): needs a key "host"',
      'carriers[0] (line 2, column 5): needs a key "systemId"',
      'carriers[0] (line 2, column 5): needs a key "password"',
    ]);
  });

  test.each([
    [
      'port: 70000',
      /^carriers\[0\]\.port \(line 7, column 11\): must be a whole number from 1 to 65535: TCP port of the SMSC$/,
    ],
    ['bind: transciever', /^carriers\[0\]\.bind .*: must be one of transceiver, pair: /],
    [
      'window: 0',
      /^carriers\[0\]\.window .*: must be a whole number from 1 to 10000: How many SMS parts may await a response/,
    ],
    ['receiptsPerMessage: 1', /^carriers\[0\]\.receiptsPerMessage .*: must be one of part, one: /],
    ['tls: maybe', /^carriers\[0\]\.tls .*: must be true or false: /],
    ['shortTonNpi: 3-0', /^carriers\[0\]\.shortTonNpi .*: must be a TON and an NPI such as 3\/0: /],
    [
      'interfaceVersion: 3.4',
      /^carriers\[0\]\.interfaceVersion .*: must be one of 33, 34, 50 \(hexadecimal\): /,
    ],
    [
      'enquireLinkMs: 30',
      /^carriers\[0\]\.enquireLinkMs .*: must be a whole number from 1000 to 3600000: Milliseconds/,
    ],
    ['tlsVerfy: false', /^carriers\[0\]\.tlsVerfy .*: unknown key; did you mean "tlsVerify"\?$/],
    ['errors: retry', /^carriers\[0\]\.errors .*: must be an object with keys: Action for a command_status/],
  ])('[RUN-3] A wrong setting of an SMPP carrier is reported with its place: %s', (setting, fault) => {
    const faults = faultsOf(`${needed}\n${setting}`);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(fault);
  });

  test('[RUN-3] Each wrong entry in an error table of an SMPP carrier is reported separately', () => {
    const errors =
      'errors:\n  ESME_RTHROTLED: retry\n  0x401: again\n  0x402: fail:DELIVERED\n  0x403: rebind';
    const faults = faultsOf(`${needed}\n${errors}\nreceiptErrors: { 001: ABSENT, 002: ERROR }`);
    const key =
      'the key must be a command_status: a number such as 1024 or 0x400, or a name such as ESME_RSUBMITFAIL';
    const action =
      'must be one of retry, throttle, rebind, fail:STATUS, passOn:STATUS (STATUS: REJECTED, UNDELIVERABLE, UNKNOWNSUBSCRIBER, INVALIDDESTINATION, SUBSCRIBERERROR, ERROR): What to do with a submission refused with this command_status';
    expect(faults).toEqual([
      `carriers[0].errors.ESME_RTHROTLED (line 8, column 7): ${key}; did you mean ESME_RTHROTTLED?`,
      `carriers[0].errors.0x401 (line 9, column 14): ${action}`,
      `carriers[0].errors.0x402 (line 10, column 14): ${action}`,
      'carriers[0].receiptErrors.001 (line 12, column 27): must be one of DELETED, EXPIRED, REJECTED, UNDELIVERABLE, ABSENTSUBSCRIBER, UNKNOWNSUBSCRIBER, INVALIDDESTINATION, SUBSCRIBERERROR, ERROR',
    ]);
  });

  test('[RUN-3] An SMPP carrier that is to be removed needs no settings', () => {
    expect(faultsOf('remove: true')).toEqual([]);
    expect(faultsOf('remove: true\nhost: smsc.example')).toEqual([]);
  });

  test('[RUN-3] The SMPP carrier settings in the examples of docs/carriers.md are valid', () => {
    const page = readFileSync(new URL('../../docs/carriers.md', import.meta.url), 'utf8');
    const [carrier = '', tables = ''] = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(
      ([, yaml]) => yaml,
    );
    expect(readPlan(carrier)).toMatchObject({ faults: [], plan: { carriers: [{ type: 'smpp' }] } });
    expect(tables).toContain('errors:');
    expect(faultsOf(`${needed}\n${tables}`)).toEqual([]);
  });
});
