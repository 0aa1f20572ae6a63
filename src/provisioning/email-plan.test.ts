import { expect, test } from 'vitest';
import { faultLine } from '../yaml/fault.ts';
import { readPlan } from './file.ts';

test('[RUN-3] [E2S-3] [E2S-5] [E2S-6] Each fault in the e-mail settings of a provisioning file is reported with its place', () => {
  const { faults } = readPlan(`companies:
  - name: Care
    allowedDomainEndings: ["", "@care.example", 12]
    emailDefaults:
      payinguser: [alice]
      sender: No
      maxSms: 256
      checkMobile: "yes"
      onlyNonDelivered: true
    emailSenders:
      - { payinguser: alice }
      - { email: ward7 }
      - { email: a@b@c, blocked: 1 }
      - { email: "@care.example", maxSms: 0, defaultCountryCode: "+46", costCenter: "a\\0b" }
      - { email: Ward7@Care.Example }
  - name: Taxi
    emailSenders:
      - { email: ward7@care.example, remove: true }
`);
  expect(faults.map(faultLine)).toEqual([
    'companies[0].allowedDomainEndings[0] (line 3, column 28): The domain “” is empty. A domain looks like care.example',
    'companies[0].allowedDomainEndings[1] (line 3, column 32): The domain “@care.example” contains “@”. A domain looks like care.example. Leave out the @',
    'companies[0].allowedDomainEndings[2] (line 3, column 49): The domain “12” ends with a number. A domain looks like care.example',
    'companies[0].emailDefaults.onlyNonDelivered (line 9, column 7): unknown key; did you mean "onlyNonDelivery"?',
    'companies[0].emailDefaults.payinguser (line 5, column 19): must be a text, not a list',
    'companies[0].emailDefaults.sender (line 6, column 15): The sender id “No” has 2 characters. Here it must have 3 to 11 letters, digits and simple signs',
    'companies[0].emailDefaults.maxSms (line 7, column 15): must be a whole number from 1 to 255',
    'companies[0].emailDefaults.checkMobile (line 8, column 20): must be true or false, not a text',
    'companies[0].emailSenders[0] (line 11, column 9): needs a key "email"',
    'companies[0].emailSenders[1].email (line 12, column 18): “ward7” has no @. An address has the form name@domain',
    'companies[0].emailSenders[2].email (line 13, column 18): “a@b@c” has more than one @. An address has the form name@domain',
    'companies[0].emailSenders[2].blocked (line 13, column 34): must be true or false, not 1',
    'companies[0].emailSenders[3].costCenter (line 14, column 85): must not contain the character U+0000',
    'companies[0].emailSenders[3].defaultCountryCode (line 14, column 66): “+46” is not a country code, which has 1 to 4 digits and does not begin with 0',
    'companies[0].emailSenders[3].maxSms (line 14, column 43): must be a whole number from 1 to 255',
    'companies[1].emailSenders[0].email (line 18, column 18): this sender appears twice in the file, first at companies[0].emailSenders[4]',
  ]);
});

test('[RUN-3] [E2S-5] The sender and cost centre of an e-mail sender follow the same rules in a file as in a call', () => {
  const entry = (settings: string) =>
    readPlan(`companies: [{ name: Care, emailSenders: [{ email: a@b.example, ${settings} }] }]`);
  const planned = (settings: string) => entry(settings).plan?.emailSenders[0]?.settings;
  expect(planned('sender: "+4673123001", costCenter: "ward\\t7\\n"')).toMatchObject({
    sender: '4673123001',
    costCenter: 'ward\t7\n',
  });
  expect(planned(`costCenter: ${'😀'.repeat(1_000)}`)).toBeDefined();
  expect(entry(`costCenter: ${'x'.repeat(1_001)}`).faults.map(faultLine)).toEqual([
    expect.stringContaining('must have at most 1000 characters'),
  ]);
  expect(entry('sender: "+46731230012"').faults.map(faultLine)).toEqual([
    expect.stringContaining('“+46731230012” has 12 characters. Here it must have 3 to 11'),
  ]);
});
