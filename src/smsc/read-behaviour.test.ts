import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readPlan } from '../provisioning/file.ts';
import { type Behaviour, connectionAdvice, treatmentOf } from './behaviour.ts';
import { readBehaviour } from './read-behaviour.ts';

function read(file?: string, flags: Readonly<Record<string, unknown>> = {}): Behaviour {
  const result = readBehaviour(file, flags);
  if ('faults' in result) throw new Error(result.faults.join('\n'));
  return result.behaviour;
}

function faultsOf(
  file: string | undefined,
  flags: Readonly<Record<string, unknown>> = {},
): readonly string[] {
  const result = readBehaviour(file, flags);
  return 'faults' in result ? result.faults : [];
}

describe('the behaviour of the SMSC for tests', () => {
  test('[DLV-3] Without a file or flags nothing goes wrong at the SMSC for tests', () => {
    const ordinary = read();
    expect(ordinary).toMatchObject({
      host: '127.0.0.1',
      port: 2775,
      systemId: undefined,
      answerMs: { min: 0, max: 0 },
      receiptMs: { min: 500, max: 500 },
      lostAnswers: 0,
      rules: [],
    });
    expect(read('')).toMatchObject(ordinary);
    expect(read('# nothing\n')).toMatchObject(ordinary);
  });

  test('[DLV-3] Rules of the SMSC for tests inherit what they leave out, and flags of the command line override the file', () => {
    const behaviour = read(
      'stat: EXPIRED\nreceiptMs: 100\nrules: [{ prefix: 4670, answerMs: 5 - 9 }, { prefix: 46, stat: { UNDELIV: 12.5 } }]',
      { receiptMs: '200-300', receiptEarly: true, password: '0123' },
    );
    expect(behaviour.password).toBe('0123');
    expect(treatmentOf(behaviour, '+46701740699')).toMatchObject({
      answerMs: { min: 5, max: 9 },
      receiptMs: { min: 200, max: 300 },
      receiptEarly: true,
      stat: new Map([['EXPIRED', 100]]),
    });
    expect(treatmentOf(behaviour, '46811111').stat).toEqual(new Map([['UNDELIV', 12.5]]));
    expect(treatmentOf(behaviour, '4791234567')).toBe(behaviour);
  });

  test('[RUN-3] A fault in the file of the SMSC for tests is reported with its path and with what would be right', () => {
    const file = `port: 70000
messageId: hexToDecmal
stat: { UNDELIVERED: 5, EXPIRED: 90 }
error: { ESME_RSYSERR: 60, ESME_RTHROTTLED: 60 }
receiptMs: 900-200
lostAnswers: 5%
rules:
  - { prefix: 46, stat: UNDELIV }
  - { prefix: 4670, reply: YES }
  - { prefix: "7x", error: ESME_RTHROTLED }
  - { stat: none, sender: me }
`;
    const refusals =
      'must be one of the command_status names such as ESME_RSYSERR or ESME_RINVDSTADR (SMPP 3.4, 5.1.3)';
    const stats = 'ENROUTE, DELIVRD, EXPIRED, DELETED, UNDELIV, ACCEPTD, UNKNOWN, REJECTD, none';
    expect(faultsOf(file)).toEqual([
      'port (line 1, column 7): must be a whole number from 0 to 65535, not 70000',
      'messageId (line 2, column 12): must be one of decimal, hex, hexToDecimal, decimalToHex, text; did you mean hexToDecimal?',
      `stat.UNDELIVERED (line 3, column 9): must be one of ${stats}`,
      'error (line 4, column 8): the shares add up to 120 percent; the maximum is 100',
      'receiptMs (line 5, column 12): must be a number of milliseconds such as 500, or a range such as 200-900, up to 86400000',
      'lostAnswers (line 6, column 14): must be a percentage from 0 to 100, without a percent sign',
      'rules[1].prefix (line 9, column 15): rules[0] already matches all of these numbers; put the longer prefix first',
      'rules[2].prefix (line 10, column 15): must be the first digits of numbers, country code first; "" is for all numbers',
      `rules[2].error (line 10, column 28): ${refusals}; did you mean ESME_RTHROTTLED?`,
      'rules[3] (line 11, column 5): needs a key "prefix"',
      expect.stringMatching(
        /^rules\[3\]\.sender \(line 11, column 19\): unknown key; known keys: prefix, answerMs, /,
      ),
    ]);
  });

  test('[RUN-3] A wrong flag of the SMSC for tests is reported by its name', () => {
    expect(
      faultsOf(undefined, { lostAnswers: 'x', stat: '{ UNDELIV: 101 }', receiptTimes: '0', answerMs: '[' }),
    ).toEqual([
      '--lost-answers: must be a percentage from 0 to 100, without a percent sign',
      '--stat: UNDELIV: must be a percentage from 0 to 100, without a percent sign',
      '--receipt-times: must be a whole number from 1 to 10, not 0',
      expect.stringMatching(/^--answer-ms: ./),
    ]);
    expect(faultsOf('tlsCert: a.pem')).toEqual([
      'tlsCert and tlsKey must be given together: a certificate and its key',
    ]);
    expect(faultsOf('a: [')).toEqual([expect.stringMatching(/^line 1, column \d+: /)]);
    expect(faultsOf('- 1')).toEqual(['line 1, column 1: must be an object with keys, not a list']);
  });
});

describe('what the SMSC for tests says to put into the provisioning file', () => {
  const company = 'companies: [{ name: A, users: [{ username: a, password: a long password }] }]\n';

  test.each([
    '',
    'systemId: "1234"\npassword: "a: b # c"\nhost: "::"',
    'messageId: decimalToHex\nalphabet: latin1\nhost: 0.0.0.0',
    'systemId: no\npassword: null-1\ntlsCert: /a b/c.pem\ntlsKey: k.pem\nhost: localhost',
  ])(
    '[RUN-3] The carrier settings that the SMSC for tests suggests are valid in a provisioning file: %j',
    (file) => {
      const behaviour = read(file);
      const { plan, faults } = readPlan(company + connectionAdvice(behaviour, 4711));
      expect(faults).toEqual([]);
      const { systemId = 'carillon', password = 'secret', alphabet, tlsCert } = behaviour;
      expect(plan?.carriers[0]?.settings).toMatchObject({
        port: 4711,
        systemId,
        password,
        alphabet,
        tls: tlsCert !== undefined,
        tlsCa: tlsCert ?? '',
      });
    },
  );

  test('[RUN-3] The examples of docs/smsc.md are valid', () => {
    expect(read(readFileSync('docs/examples/smsc.yaml', 'utf8')).rules.length).toBeGreaterThan(0);
    expect(readPlan(readFileSync('docs/examples/smsc-carrier.yaml', 'utf8')).faults).toEqual([]);
  });
});
