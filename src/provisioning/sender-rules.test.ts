/**
 * Tests rules in the provisioning file that map an e-mail's domain to a sender id: reading, comparing, reporting and storing
 * them.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { findSenderRule } from '../email/gateway/store.ts';
import type { Store } from '../storage/store.ts';
import { faultLine, sortedFaults } from '../yaml/fault.ts';
import { readPlan } from './file.ts';

describe('sender rules in a provisioning file', () => {
  test('[RUN-3] [MAIL-6] Each fault in the sender rules of a provisioning file gets a line', () => {
    const { faults } = readPlan(`companies:
  - name: Care
    senderRules:
      - { domain: lab.care.example, sender: CareLab }
      - { domain: LAB.care.example, sender: Other }
      - { domain: "@care.example", sender: Care }
      - { domain: a.care.example, sender: "much too long a name" }
      - { domain: b.care.example }
      - { sender: Care }
      - { domain: c.care.example, remove: true }
`);
    expect(sortedFaults(faults).map(faultLine)).toEqual([
      'companies[0].senderRules[1].domain (line 5, column 19): this domain appears twice in the file, first at companies[0].senderRules[0]',
      expect.stringMatching(/^companies\[0\]\.senderRules\[2\]\.domain .*contains “@”/),
      expect.stringMatching(/^companies\[0\]\.senderRules\[3\]\.sender .*much too long a name/),
      'companies[0].senderRules[4] (line 8, column 9): needs a key "sender"',
      'companies[0].senderRules[5] (line 9, column 9): needs a key "domain"',
    ]);
  });
});

eachStore('applying sender rules', (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = (await engine.openFreshStore()).store;
  });

  const { linesOf } = provisioningOf(() => store);
  const company = (name: string, id: number, ...rules: readonly string[]) =>
    `companies: [{ name: ${name}, id: ${id}, senderRules: [${rules.join(', ')}] }]`;
  const ruleOf = (companyId: number, domain: string) => store.read(findSenderRule, { companyId, domain });

  test('[RUN-3] [MAIL-6] A provisioning file makes, changes and removes sender rules, and leaves the others alone', async () => {
    const lab = '{ domain: Lab.bücher.example, sender: CareLab }';
    const domain = 'lab.xn--bcher-kva.example';
    const both = company('Care', 1, lab, '{ domain: x.example, sender: X1 }');
    expect(await linesOf(both)).toEqual([
      '+ company Care: id 1',
      `+ sender rule of ${domain} in Care: sender CareLab`,
      '+ sender rule of x.example in Care: sender X1',
    ]);
    expect(await linesOf(both)).toEqual([]);
    expect(await linesOf(company('Taxi', 2, lab.replace('CareLab', 'Taxi')))).toHaveLength(2);
    expect(await linesOf(company('Care', 1, lab.replace('CareLab', '"46731230001"')))).toEqual([
      `~ sender rule of ${domain} in Care: sender CareLab -> 46731230001`,
    ]);
    expect(await linesOf(company('Care', 1, '{ domain: x.example, remove: true }'))).toEqual([
      '- sender rule of x.example in Care',
    ]);
    expect(await ruleOf(1, domain)).toBe('46731230001');
    expect(await ruleOf(1, 'x.example')).toBeNull();
    expect(await ruleOf(2, domain)).toBe('Taxi');
    expect(await linesOf('companies: [{ name: Care, remove: true }]')).toEqual([
      '- company Care',
      `- sender rule of ${domain} in Care`,
    ]);
    expect(await ruleOf(1, domain)).toBeNull();
    expect(await ruleOf(2, domain)).toBe('Taxi');
  });
});
