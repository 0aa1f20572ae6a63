/** Tests sender ids of other companies in provisioning files, and references to a number that its company has lost. */
import { beforeEach, expect, test } from 'vitest';
import { administering } from '../../test/harness/email.ts';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import type { Caller } from '../accounts/caller.ts';
import { setDefaults, setEntry } from '../email/senders/administer-senders.ts';
import { noSettings } from '../email/senders/sender-entry.ts';
import { listOwnedSenders } from '../routing/number-records.ts';
import { SenderOwners } from '../routing/sender-owners.ts';
import type { Store } from '../storage/store.ts';
import { scopeOf } from './compare.ts';
import { planOf } from './file.ts';
import { readState } from './store.ts';

const rented = '46731230001';
const pooled = '46731239001';
const companies = `companies:
  - name: Care
    id: 1
    allowedDomainEndings: [care.example]
    users: [{ username: alice, roles: [send] }, { username: adam }]
  - name: Taxi
    id: 2
    senders: [Taxi, Airport]
    users: [{ username: tom }]
`;
const numbers = (renter: string) =>
  `numbers: [{ number: ${rented}, rentedBy: ${renter} }, { number: ${pooled}, pool: true }]\n`;

eachStore('senders of others in a provisioning file', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
    await linesOf(companies + numbers('tom'), { path: '/etc/all.yaml' });
  });

  const { apply, linesOf, ...provisioning } = provisioningOf(() => store);
  const faultsOf = async (content: string) =>
    (await provisioning.faultsOf(content)).map((line) => line.replace(/ \(line.*?\)/, ''));
  const warningsOf = async (content: string, options: Parameters<typeof apply>[1] = {}) => {
    const result = await apply(content, options);
    expect(result).toMatchObject({ kind: 'applied' });
    return result.kind === 'applied' ? result.warnings.map((line) => line.replace(/ \(line.*?\)/, '')) : [];
  };
  const ofAnother = (sender: string) =>
    `${sender} belongs to another company. Send from a sender of your own`;
  const ofPool = `${pooled} is a number of the reply pool, which can’t be chosen as a sender. Use another sender, or "twoway"`;

  test('[RUN-3] [SEND-15] A sender of another company is refused wherever the file names it, and the whole file with it', async () => {
    const before = await store.read(listOwnedSenders, null);
    expect(
      await faultsOf(`
companies:
  - name: Care
    defaultSender: "${rented}"
    senders: ["${rented}", Care, "${pooled}"]
    users:
      - { username: alice, roles: [send], defaultSender: taxi, senders: [TAXI, taxi, Care] }
      - { username: adam, defaultSender: "${pooled}" }
    emailDefaults: { payinguser: alice, sender: "0731230001" }
    emailSenders:
      - { email: a@care.example, sender: Airport }
      - { email: b@care.example, sender: "${rented}" }
      - { email: c@care.example, sender: Care }
    senderRules: [{ domain: care.example, sender: Taxi }]
  - name: New
    users: [{ username: nora, defaultSender: "${rented}" }]
numbers: [{ number: "46731230002", rentedBy: nora }]
`),
    ).toEqual([
      `companies[0].defaultSender: ${ofAnother(rented)}`,
      `companies[0].senders: ${ofAnother(rented)}`,
      `companies[0].senders: ${ofPool}`,
      `companies[0].users[0].defaultSender: ${ofAnother('taxi')}`,
      `companies[0].users[0].senders: ${ofAnother('TAXI')}`,
      `companies[0].users[0].senders: ${ofAnother('taxi')}`,
      `companies[0].users[1].defaultSender: ${ofPool}`,
      `companies[0].emailDefaults.sender: ${ofAnother('0731230001')}`,
      `companies[0].emailSenders[0].sender: ${ofAnother('Airport')}`,
      `companies[0].emailSenders[1].sender: ${ofAnother(rented)}`,
      `companies[0].senderRules[0].sender: ${ofAnother('Taxi')}`,
      `companies[1].users[0].defaultSender: ${ofAnother(rented)}`,
    ]);
    expect(await store.read(listOwnedSenders, null)).toEqual(before);
  });

  test('[RUN-3] [SEND-15] Senders are checked against the numbers as the file leaves them, in either order', async () => {
    const adams = `companies: [{ name: Care, users: [{ username: adam, defaultSender: "${rented}" }] }]\n`;
    const toms = adams.replace('Care', 'Taxi').replace('adam', 'tom');
    const toAdam = `numbers: [{ number: ${rented}, rentedBy: adam }]\n`;
    const toTom = toAdam.replace('adam', 'tom');
    const fault = `companies[0].users[0].defaultSender: ${ofAnother(rented)}`;
    expect(await faultsOf(adams)).toEqual([fault]);
    expect(await linesOf(toAdam + adams)).toHaveLength(2);
    expect(await faultsOf(toms)).toEqual([fault]);
    // Unchanged entries are refused too, once the same file gives the number away.
    expect(await faultsOf(adams + toTom)).toEqual([fault]);
    const freed = adams.replace(`"${rented}"`, 'null');
    expect(await warningsOf(freed + toTom)).toEqual([]);
    expect(await linesOf(toms)).toEqual([`~ user tom in Taxi: defaultSender none -> ${rented}`]);
    const shared = `companies: [{ name: Taxi, users: [{ username: tom, defaultSender: null }] }]
numbers: [{ number: ${rented}, rentedBy: null }]`;
    expect(await warningsOf(shared)).toEqual([]);
    expect(await linesOf(adams)).toHaveLength(1);
    expect(await faultsOf(`${adams}numbers: [{ number: ${rented}, pool: true, rentedBy: null }]`)).toEqual([
      `companies[0].users[0].defaultSender: ${ofPool.replace(pooled, rented)}`,
    ]);
  });

  test('[RUN-3] [SEND-15] Each of two new companies in a file may use only its own senders', async () => {
    const both = `companies:
  - { name: One, users: [{ username: ona, defaultSender: "46731230003" }] }
  - { name: Two, senders: [Two], users: [{ username: tove, defaultSender: Two }] }
numbers: [{ number: "46731230003", rentedBy: ona }]
`;
    expect(await faultsOf(both.replace('rentedBy: ona', 'rentedBy: tove'))).toEqual([
      `companies[0].users[0].defaultSender: ${ofAnother('46731230003')}`,
    ]);
    expect(await faultsOf(both.replace('"46731230003"', 'TWO'))).toEqual([
      `companies[0].users[0].defaultSender: ${ofAnother('TWO')}`,
    ]);
    expect(await linesOf(both)).toHaveLength(5);
  });

  test('[RUN-3] [E2S-3] [SEND-15] A blocked e-mail sender may keep a number of another company, as in a call', async () => {
    const entry = `{ email: a@care.example, payinguser: alice, blocked: true, sender: "${rented}" }`;
    const file = `companies: [{ name: Care, emailSenders: [${entry}] }]`;
    expect(await linesOf(file)).toHaveLength(1);
    expect(await faultsOf(file.replace('blocked: true', 'blocked: false'))).toEqual([
      `companies[0].emailSenders[0].sender: ${ofAnother(rented)}`,
    ]);
  });

  const admin = { userId: 1, username: 'alice', companyId: 1, roles: new Set(['emailAdmin']) };
  const setEmailSender = (name: string, sender: string, blocked = false) =>
    setEntry(administering(store), admin as unknown as Caller, {
      key: { email: `${name}@care.example`, domain: 'care.example' },
      blocked,
      payingUser: 'alice',
      settings: { ...noSettings, sender },
    });

  test('[RUN-3] [E2S-5] [SEND-15] When a company loses a number, a dry run and applying the file warn about what still names the number', async () => {
    const care = `companies:
  - name: Care
    defaultSender: "${rented}"
    users: [{ username: alice, roles: [send], senders: [Care, "0731230001"] }, { username: adam, defaultSender: "${rented}" }]
    senderRules: [{ domain: care.example, sender: "${rented}" }]
`;
    await linesOf(care + numbers('alice'), { path: '/etc/care.yaml' });
    await setDefaults(administering(store), admin as unknown as Caller, {
      payingUser: undefined,
      settings: { ...noSettings, sender: rented },
    });
    await setEmailSender('a', rented);
    await setEmailSender('b', 'Care');
    await setEmailSender('c', rented, true);
    const lost = `numbers[0].rentedBy: ${rented} is no longer a sender of Care, but is still named there by the company, the user adam, the user alice, the e-mail defaults`;
    const last = 'the sender rule of care.example: SMS from this number are refused until another is named';
    const named = `${lost}, the e-mail sender a@care.example, ${last}`;
    const toTom = numbers('tom');
    expect(await warningsOf(toTom, { dryRun: true })).toEqual([named]);
    expect(await warningsOf(toTom, { dryRun: true, audience: 'log' })).toEqual([
      `${lost}, 1 of the e-mail senders, ${last}`,
    ]);
    // Entries that the file itself changes no longer name the number.
    const changed = `companies:
  - name: Care
    defaultSender: Care
    users: [{ username: alice, senders: [Care] }, { username: adam, remove: true }]
    emailDefaults: { remove: true }
    emailSenders: [{ email: a@care.example, remove: true }]
`;
    expect(await warningsOf(changed + toTom, { dryRun: true })).toEqual([
      `numbers[0].rentedBy: ${rented} is no longer a sender of Care, but is still named there by ${last}`,
    ]);
    expect(await warningsOf(toTom)).toEqual([named]);
    expect(await warningsOf(toTom)).toEqual([]);
    expect(new SenderOwners(await store.read(listOwnedSenders, null)).judge(1, rented)).toMatchObject({
      code: 'sender_not_yours',
    });
    // The company's own file is refused until it names another number.
    expect((await faultsOf(care)).length).toBeGreaterThan(0);
    expect(await warningsOf(numbers('alice'))).toEqual([]);
    expect(
      await warningsOf(`numbers: [{ number: ${rented}, pool: true, rentedBy: null }]`, { audience: 'log' }),
    ).toEqual([expect.stringMatching(/^numbers\[0\]\.pool: 46731230001 is no longer a sender of Care, /)]);
  });

  test('[RUN-3] [SEND-15] A warning about a lost number counts its uses if there are many, and leaves out other numbers', async () => {
    const users = Array.from({ length: 11 }, (_, at) => `{ username: u${at}, defaultSender: "${rented}" }`);
    await linesOf(`companies: [{ name: Care, users: [${users.join(', ')}] }]\n${numbers('u0')}`);
    const another = `{ number: "46731230002", rentedBy: alice }`;
    await linesOf(`numbers: [${another}]`);
    const moved = `numbers: [${another.replace('alice', 'tom')}, { number: ${rented}, rentedBy: tom }]`;
    expect(await warningsOf(moved)).toEqual([
      `numbers[1].rentedBy: ${rented} is no longer a sender of Care, but is still named there by 11 of the users: SMS from this number are refused until another is named`,
    ]);
  });

  test('[RUN-3] [SEND-15] All numbers are read only for a provisioning file that names numbers or senders', async () => {
    const numbersReadFor = async (content: object) => {
      const plan = planOf(JSON.stringify({ companies: [Object.assign({ name: 'Care' }, content)] }), 'read');
      return (await store.read(readState, scopeOf(plan))).ownedNumbers.length;
    };
    expect(await numbersReadFor({ users: [{ username: 'alice', remove: true }] })).toBe(0);
    expect(await numbersReadFor({ users: [{ username: 'alice', defaultSender: 'Care' }] })).toBe(2);
  });
});
