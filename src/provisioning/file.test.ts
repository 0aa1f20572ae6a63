import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultLine, sortedFaults } from '../yaml/fault.ts';
import { readPlan } from './file.ts';

function faultsOf(content: string): readonly string[] {
  return sortedFaults(readPlan(content).faults).map(faultLine);
}

const hash =
  '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$bQ2hTzJpcU9m0CkqVYqrXqBPLtPBPDTPSqbTtzvnLrE';

describe('a provisioning file', () => {
  test('[RUN-3] A provisioning file defines completely what it names, and keys that it leaves out have their defaults', () => {
    const { plan, faults } = readPlan(`
companies:
  - name: Nordic Care
    users:
      - username: alice
carriers:
  - { name: sim, type: simulator, submitDelayMs: 7 }
routes:
  - { prefix: +46 70, carriers: [sim] }
  - { name: rest, prefix: "", carriers: [sim] }
numbers:
  - { number: +46 731-23 00 01 }
  - { number: 71000, rentedBy: alice }
  - { number: 72000, pool: true }
operators:
  - { username: root, passwordHash: "${hash}" }
`);
    expect(faults).toEqual([]);
    expect(plan?.companies[0]).toMatchObject({
      name: 'Nordic Care',
      id: undefined,
      active: true,
      quotaParts: undefined,
      defaultSender: undefined,
      sendHours: undefined,
      remove: false,
    });
    expect(plan?.users[0]).toMatchObject({
      username: 'alice',
      password: undefined,
      passwordHash: undefined,
      roles: [],
      active: true,
      senders: undefined,
      replaceCharacters: false,
      maxBatch: undefined,
    });
    const settings = { submitDelayMs: 7, receiptDelayMs: 500, window: 1_000, throughput: 0 };
    expect(plan?.carriers[0]).toMatchObject({ name: 'sim', type: 'simulator', settings });
    expect(plan?.routes.map(({ name, prefix }) => [name, prefix])).toEqual([
      ['4670', '4670'],
      ['rest', ''],
    ]);
    expect(plan?.numbers.map(({ number, rentedBy, pool }) => [number, rentedBy, pool])).toEqual([
      ['46731230001', undefined, false],
      ['71000', 'alice', false],
      ['72000', undefined, true],
    ]);
    expect(plan?.operators[0]).toMatchObject({ username: 'root', passwordHash: hash });
  });

  test('[RUN-3] [ALERT-1] Pointers of an alert receiver in a provisioning file are JSON pointers', () => {
    const pointers = '{ items: /a~1b, title: title, labels: /a~2, state: "" }';
    expect(
      faultsOf(`
companies:
  - name: Nordic Care
    alertReceivers:
      - { name: ops, user: alice, source: generic, start: 71, pointers: ${pointers} }
`),
    ).toEqual([
      'companies[0].alertReceivers[0].pointers.title (line 5, column 96): “title” is not a JSON pointer (RFC 6901): it begins with /, such as /title, and ~ is written ~0',
      'companies[0].alertReceivers[0].pointers.labels (line 5, column 111): “/a~2” is not a JSON pointer (RFC 6901): it begins with /, such as /title, and ~ is written ~0',
      'companies[0].alertReceivers[0].pointers.state (line 5, column 124): must not be empty',
    ]);
  });

  test('[RUN-3] A provisioning file takes digits without quotes as the text that they are, zeros included', () => {
    const { plan, faults } = readPlan(`
companies:
  - name: 4711
    users:
      - { username: 007, password: 012345678901, senders: [46731230001, 0x10] }
`);
    expect(faults).toEqual([]);
    expect(plan?.companies[0]?.name).toBe('4711');
    const user = plan?.users[0];
    expect(user).toMatchObject({
      username: '007',
      password: '012345678901',
      senders: ['46731230001', '0x10'],
    });
  });

  test('[RUN-3] A provisioning file may use anchors and aliases', () => {
    const { plan, faults } = readPlan(`
companies:
  - name: A
    users: [{ username: a, senders: &senders [One, Two] }, { username: b, senders: *senders }]
`);
    expect(faults).toEqual([]);
    expect(plan?.users[1]?.senders).toEqual(['One', 'Two']);
  });

  test('[RUN-3] A provisioning file needs only the key of what it removes', () => {
    const content = `
companies: [{ name: A, remove: true }, { name: B, users: [{ username: b, remove: true }] }]
carriers: [{ name: sim, remove: true }]
routes: [{ name: all, remove: true }, { prefix: 46, remove: true }]
numbers: [{ number: "46731230001", remove: true }]
operators: [{ username: root, remove: true }]
`;
    expect(faultsOf(content)).toEqual([]);
  });

  test('[RUN-3] Each fault in a provisioning file gets a line with its path and place', () => {
    expect(
      faultsOf(`companies:
  - name: Nordic Care
    quotaPart: 1000
    jobType: []
    users:
      - username: alice
        pasword: "secret words"
        roles: [sends]
        active: yes
        senders:
        quotaParts: -1
      - password: of nobody at all
      - bob
carriers:
  - { name: sim, type: simulator, receiptDelayMs: 1.5 }
  - { name: op1, type: smp }
  - { name: op2, host: example.com }
routes:
  - { name: x }
  - { prefix: "0046", carriers: [], senders: [], users: [":"], priority: high }
numbers: { number: 1 }
operators:
  - { username: "a:b" }
stuff: 1
`),
    ).toEqual([
      'companies[0].quotaPart (line 3, column 5): unknown key; did you mean "quotaParts"?',
      'companies[0].jobType (line 4, column 5): unknown key; did you mean "jobTypes"?',
      'companies[0].users[0].pasword (line 7, column 9): unknown key; did you mean "password"?',
      'companies[0].users[0].roles[0] (line 8, column 17): must be one of send, companyAdmin, emailAdmin, jobs; did you mean send?',
      'companies[0].users[0].active (line 9, column 17): must be true or false, not a text',
      'companies[0].users[0].senders (line 10, column 17): has no value; write [] for an empty list, or leave the key out for any',
      'companies[0].users[0].quotaParts (line 11, column 21): must be a whole number from 0 to 1000000000000, not -1',
      'companies[0].users[1] (line 12, column 9): needs a key "username"',
      'companies[0].users[2] (line 13, column 9): must be an object with keys, not a text',
      'carriers[0].receiptDelayMs (line 15, column 51): must be a whole number from 0 to 3600000: Milliseconds from the response to the delivery receipt',
      'carriers[1].type (line 16, column 24): must be one of simulator, smpp, http; did you mean smpp?',
      'carriers[2] (line 17, column 5): needs a key "type", one of simulator, smpp, http',
      'routes[0] (line 19, column 5): needs a key "prefix"; "" is for all numbers',
      'routes[0] (line 19, column 5): needs a key "carriers" with at least one carrier',
      'routes[1].prefix (line 20, column 15): must be the first digits of numbers, country code first; "" is for all numbers',
      'routes[1].carriers (line 20, column 33): must name at least one carrier',
      'routes[1].senders (line 20, column 46): must name at least one sender; leave the key out for any',
      'routes[1].users[0] (line 20, column 58): must be 1 to 200 characters without colons, control characters, or spaces at either end',
      'routes[1].priority (line 20, column 74): must be a whole number from -1000000 to 1000000, not a text',
      'numbers (line 21, column 10): must be a list, not an object',
      'operators[0].username (line 23, column 17): must be 1 to 200 characters without colons, control characters, or spaces at either end',
      'stuff (line 24, column 1): unknown key; known keys: companies, carriers, routes, numbers, operators, oidc',
    ]);
  });

  test('[RUN-3] [CONV-12] A list of senders has at most 1,000 items, since it is searched for each message', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `S${index}`);
    const file = (count: number) =>
      `companies: [{ name: A, senders: [${many(count)}], users: [{ username: a, senders: [${many(count)}] }] }]`;
    expect(faultsOf(file(1_000))).toEqual([]);
    const sentence = 'has 1001 items; at most 1000 are allowed';
    expect(faultsOf(file(1_001)).map((fault) => fault.split('): ')[1])).toEqual([sentence, sentence]);
  });

  test('[RUN-3] A provisioning file may not contradict itself', () => {
    expect(
      faultsOf(`
companies:
  - { name: A, id: 7, users: [{ username: alice, id: 8 }] }
  - { name: B, id: 7, users: [{ username: alice }, { username: bob, id: 8 }] }
  - name: A
    users:
      - { username: carol, password: carol and nobody else, passwordHash: "${hash}" }
numbers: [{ number: 46731230001 }, { number: +46 731 23 00 01 }]
routes: [{ prefix: 46, carriers: [a] }, { name: 46, prefix: 47, carriers: [a] }]
`).map((line) => line.replace(/ \(.*?\)/, '')),
    ).toEqual([
      'companies[1].id: this id is already used by the company at companies[0]',
      'companies[1].users[0].username: this username appears twice in the file, first at companies[0].users[0]',
      'companies[1].users[1].id: this id is already used by the user at companies[0].users[0]',
      'companies[2].name: this company appears twice in the file, first at companies[0]',
      'companies[2].users[0].passwordHash: give either "password" or "passwordHash", not both',
      'numbers[1].number: this number appears twice in the file, first at numbers[0]',
      'routes[1].name: this route appears twice in the file, first at routes[0]',
    ]);
  });

  test.each([
    ['defaultSender: a name too long', /has 15 characters/],
    ['defaultSender: "<b>"', /which networks do not carry/],
    ['defaultSender: "12"', /has 2 digits/],
    [
      'defaultSender: true',
      /^companies\[0\]\.defaultSender \(.*\): must be a text \(put it in quotes\), not true$/,
    ],
    ['users: [{ username: a, passwordHash: $2b$10$abc }]', /must be an Argon2 hash in the PHC form/],
    ['quotaParts: "5"', /must be a whole number from 0 to \d+, not a text/],
    ['id: 0', /must be a whole number from 1/],
    ['active: 1', /must be true or false, not 1/],
  ])('[RUN-3] [SEND-15] A provisioning file with %s is refused', (field, expected) => {
    expect(faultsOf(`companies:\n  - name: A\n    ${field}\n`)).toEqual([expect.stringMatching(expected)]);
  });

  test.each([
    ['', 'line 1, column 1: the file is empty'],
    ['# nothing yet\n', 'line 1, column 1: the file is empty'],
    ['- a\n', 'line 1, column 1: must be an object with keys, not a list'],
    ['companies: [', 'line 1, column 13: Flow sequence'],
    [
      'companies: []\ncompanies: []\n',
      'companies (line 2, column 1): this key appears twice in the same object',
    ],
    [
      'companies: *nobody\n',
      'companies (line 1, column 12): the alias refers to nothing; a text that begins with * needs quotes',
    ],
    [
      'companies: &all [*all]\n',
      'companies[0][0] (line 1, column 18): the alias refers to nothing; a text that begins with * needs quotes',
    ],
    ['companies: []\n---\ncompanies: []\n', 'line 2, column 1: the file must contain only one YAML document'],
    ['companies: !unknown []\n', 'line 1, column 12: Unresolved tag'],
    ['? [1]\n: 2\n', 'line 1, column 3: a key must be a plain word'],
  ])('[RUN-3] A malformed provisioning file is refused: %j', (content, expected) => {
    expect(faultsOf(content)[0]).toContain(expected);
  });

  test.each([
    'password: *Canary',
    'password: !Canary',
    'password: @Canary',
    'password: %Canary',
    'password: [Canary',
    'password: { Canary: 1 }',
    'password: "a" Canary "b"',
    'password: Canary: 1',
    'passwordHash: Canary',
    'Dear Canary and all others: 1',
  ])('[RUN-3] Faults of a provisioning file repeat nothing that may be a secret or a text: %s', (line) => {
    const faults = faultsOf(`companies:\n  - name: A\n    users:\n      - username: a\n        ${line}\n`);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.join('\n')).not.toContain('Canary');
  });

  test('[RUN-3] A provisioning file that would expand to more than memory holds is refused', () => {
    const letters = [...'abcdefghij'];
    const layers = letters.map((letter, index) => {
      const inner = index === 0 ? 'x' : `*${letters[index - 1]}`;
      return `${letter}: &${letter} [${Array(10).fill(inner).join(', ')}]`;
    });
    expect(faultsOf(layers.join('\n'))).toEqual([
      expect.stringContaining('the file expands to more than 3000000 values'),
    ]);
  }, 300_000);

  test('[RUN-3] A provisioning file with deeper nesting than any real file is refused', () => {
    const faults = faultsOf(`companies: ${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    expect(faults[0]).toContain('the file is nested too deeply');
    expect(faults.length).toBeLessThan(10);
  });

  test('[RUN-3] Any text as a provisioning file gives faults or a plan, and never a crash', () => {
    const words = [
      'companies:',
      'users:',
      '- ',
      '  ',
      '\n',
      'name: a',
      '{',
      '}',
      '[',
      ']',
      '&a',
      '*a',
      '"',
      ': ',
      'x',
    ];
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 3 })), { maxLength: 30 }),
        (parts) => {
          const { plan, faults } = readPlan(parts.join(''));
          expect(plan !== undefined || faults.length > 0).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });
});
