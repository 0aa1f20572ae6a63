import { beforeEach, expect, test } from 'vitest';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { openSettings } from '../carriers/provisioned/carrier-record.ts';
import { listCarriers } from '../carriers/provisioned/carrier-rows.ts';
import { Sealing } from '../foundation/sealing.ts';
import type { Store } from '../storage/store.ts';
import { faultLine, sortedFaults } from '../yaml/fault.ts';
import { readPlan } from './file.ts';

const declared = `carriers:
  - name: own
    type: http
    username: nordic
    password: pa55 of ours
    secrets:
      token: t0ken of ours
      signing: k3y of ours
    values: { area: eu }
    choices:
      coding: { by: encoding, gsm7: "0", ucs2: "8" }
    submit:
      url: https://{area}.sms.example/v2/messages
      headers: { Authorization: "Bearer {token}", Idempotency-Key: "{id}" }
      json: { to: "+{to}", text: "{text}", coding: "{coding}", parts: "{parts}", test: false, tries: 3, tags: [a, null] }
      accepted: { status: [200, 201], id: /messages/0/id }
      refusals:
        - { status: [429, 503], then: retry }
        - { at: /error/code, is: [invalid_number, 21211], then: rejected, as: INVALIDDESTINATION }
        - { at: "regex:blocked: (\\\\w+)", then: passOn }
      idempotent: true
    receipts:
      id: /id
      state: /status
      states: { delivered: DELIVERED, 3: UNDELIVERABLE }
      signature: { hmac: sha256, header: X-Signature, secret: signing }
    incoming: { from: /from, to: /to, text: /text, networks: [192.0.2.0/24] }
`;

const wrongSettings: readonly (readonly [right: string, wrong: string, fault: RegExp])[] = [
  [
    'as: INVALIDDESTINATION',
    'as: WRONG',
    /^carriers\[0\]\.submit\.refusals\[1\]\.as \(line 19, column 79\): must be one of REJECTED, /m,
  ],
  [
    '[200, 201]',
    '[200, 20]',
    /^carriers\[0\]\.submit\.accepted\.status\[1\] \(line 16, column 33\): must be a whole number from 100 to 599/m,
  ],
  [
    'idempotent: true',
    'idempotnt: true',
    /^carriers\[0\]\.submit\.idempotnt \(line 21, column 7\): unknown key; did you mean "idempotent"\?$/m,
  ],
  [
    'id: /messages/0/id',
    'id: id',
    /^carriers\[0\]\.submit\.accepted\.id .*: must be one of own, key, or a JSON pointer such as \/id, or regex: followed by an expression: Where/m,
  ],
  ['      id: /id\n', '', /^carriers\[0\]\.receipts \(line 23, column 7\): needs a key "id"$/],
  [
    'hmac: sha256',
    'hmac: md5',
    /^carriers\[0\]\.receipts\.signature\.hmac \(line 26, column 26\): must be one of sha1, sha256, sha512/m,
  ],
  [
    'signature: { hmac: sha256, header: X-Signature, secret: signing }',
    'signature: twillio',
    /^carriers\[0\]\.receipts\.signature .*: must be one of twilio, vonage, .*, or an object with keys$/m,
  ],
  [
    'ucs2: "8"',
    'usc2: "8"',
    /^carriers\[0\]\.choices\.coding\.usc2 .*: unknown key; known keys: by, gsm7, ucs2$/m,
  ],
  [
    'delivered: DELIVERED',
    'delivered: DONE',
    /^carriers\[0\]\.receipts\.states\.delivered .*: must be one of SENT, DELIVERED, /m,
  ],
  ['[invalid_number, 21211]', '[]', /^carriers\[0\]\.submit\.refusals\[1\]\.is .*: must not be empty$/],
  [
    'token: t0ken of ours',
    '"t0ken of ours":',
    /^carriers\[0\]\.secrets \(line 7, column 7\): the key must be a name of letters and digits$/m,
  ],
  [
    '[192.0.2.0/24]',
    '[192.0.2.0]',
    /^carriers\[0\]\.incoming\.networks\[0\] \(line 27, column 63\): must be a network such as/m,
  ],
  [
    '"{coding}"',
    '"{codings}"',
    /^carriers\[0\]\.submit\.json\.coding \(line 15, column 52\): there is no placeholder \{codings\}; did you mean \{coding\}\?$/m,
  ],
];

const sealing = new Sealing('of a test');
const someSecret = /pa55|t0ken|k3y|of ours/;

eachStore('carriers by HTTP in a provisioning file', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
  });
  const { apply, linesOf, faultsOf } = provisioningOf(() => store);
  const stored = async () => (await store.read(listCarriers, null))[0];

  test('[HTTPC-1] [HTTPC-4] A declared carrier is stored as it was written, its secrets sealed and never shown', async () => {
    const shown = [...(await linesOf(declared, { dryRun: true })), ...(await linesOf(declared))];
    const carrier = await stored();
    expect(JSON.stringify([shown, carrier])).not.toMatch(someSecret);
    expect(openSettings(sealing, carrier as NonNullable<typeof carrier>)).toMatchObject({
      insecure: false,
      window: 10,
      secrets: { token: 't0ken of ours', signing: 'k3y of ours' },
      submit: {
        json: { parts: '{parts}', test: false, tries: 3, tags: ['a', null] },
        refusals: [
          { status: [429, 503] },
          { is: ['invalid_number', '21211'] },
          { at: 'regex:blocked: (\\w+)' },
        ],
      },
      receipts: { states: { delivered: 'DELIVERED', 3: 'UNDELIVERABLE' } },
    });
    expect(await linesOf(declared)).toEqual([]);
    const changed = await linesOf(declared.replace('k3y of ours', 'k4y of ours'), { dryRun: true });
    expect(changed).toEqual(['~ carrier own: secrets changed']);
  });

  test('[HTTPC-4] Settings that a file leaves out are checked as they are stored, and those of a wrong expression too', async () => {
    await linesOf(declared);
    const other = 'carriers:\n  - { name: own, type: http, secrets: { other: x } }';
    expect(await apply(other, { path: '/etc/other.yaml' })).toMatchObject({
      lines: [
        expect.stringMatching(
          /^carriers\[0\] \(line 2, column 5\): submit\.headers\.Authorization: there is no placeholder \{token\}/,
        ),
        expect.stringMatching(
          /^carriers\[0\] \(line 2, column 5\): receipts\.signature\.secret: there is no secret of this name/,
        ),
      ],
    });
    expect(await faultsOf(declared.replace('blocked: (', '(?=blocked: ('))).toEqual([
      expect.stringMatching(
        /^carriers\[0\]\.submit\.refusals\[2\]\.at \(line 20, column 17\): is no regular expression that RE2 can read/,
      ),
    ]);
  });

  test('[HTTPC-4] A fault within a declaration is reported where it stands', async () => {
    for (const [right, wrong, fault] of wrongSettings) {
      expect(declared).toContain(right);
      const faults = (await faultsOf(declared.replace(right, wrong))).join('\n');
      expect.soft(faults, wrong).toMatch(fault);
      expect(faults).not.toMatch(someSecret);
    }
    expect(await stored()).toBe(undefined);
  });

  test('[HTTPC-1] [HTTPC-4] Settings beside a preset need only say what differs, as long as they are whole with it', async () => {
    const kannel = (more: string) => `carriers:
  - { name: box, type: http, preset: kannel, baseUrl: "http://127.0.0.1:13013", username: u, password: p, ${more} }`;
    await linesOf(kannel('submit: { query: { smsc: north } }'));
    expect((await stored())?.settings.submit).toEqual({ query: { smsc: 'north' } });
    expect(await faultsOf(kannel('submit: { querry: {} }'))).toEqual([
      expect.stringMatching(/^carriers\[0\]\.submit\.querry .*: unknown key; did you mean "query"\?$/),
    ]);
    expect(await faultsOf(kannel('submit: { url: "{baseUrl}/{area}" }'))).toEqual([
      expect.stringMatching(/^carriers\[0\]\.submit\.url .*: there is no placeholder \{area\}/),
    ]);
  });
});

test('[HTTPC-4] A carrier by HTTP that is to be removed needs no settings', () => {
  const { faults } = readPlan('carriers: [{ name: own, type: http, remove: true, submit: { url: 1 } }]');
  expect(sortedFaults(faults).map(faultLine)).toEqual([]);
});
