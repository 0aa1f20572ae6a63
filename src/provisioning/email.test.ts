import { beforeEach, expect, test } from 'vitest';
import { administering } from '../../test/harness/email.ts';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import type { Caller } from '../accounts/caller.ts';
import { setDefaults, setEntry } from '../email/senders/administer-senders.ts';
import { noSettings } from '../email/senders/sender-entry.ts';
import { findEntry } from '../email/senders/store.ts';
import type { Store } from '../storage/store.ts';
import { scopeOf } from './compare.ts';
import { readPlan } from './file.ts';
import { readState } from './store.ts';

eachStore('applying e-mail senders', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
  });

  const { apply, linesOf, faultsOf } = provisioningOf(() => store);
  const users = (bob = '{ username: bob, id: 12, roles: [send] }') =>
    `users: [{ username: alice, id: 11, roles: [send], smtpSplit: true }, ${bob}]`;
  const care = (...keys: readonly string[]) =>
    `companies:\n  - name: Care\n    id: 1\n    allowedDomainEndings: [.care.example, .bücher.example]\n${keys
      .map((key) => `    ${key}\n`)
      .join('')}`;
  const admin = {
    userId: 11,
    username: 'alice',
    companyId: 1,
    roles: new Set(['emailAdmin']),
  } as unknown as Caller;
  const key = (email: string) => ({ email, domain: email.slice(email.indexOf('@') + 1) });

  const defaults = 'emailDefaults: { payinguser: "11", sender: NordicCare, maxSms: "3" }';
  const senders = (...entries: readonly string[]) => `emailSenders: [${entries.join(', ')}]`;
  const ward7 = '{ email: Ward7@a.Care.Example, payinguser: bob, includeSubject: true }';
  const blocked = '{ email: "@a.care.example", blocked: true, sender: "", maxSms: 2 }';
  const everything = care(users(), defaults, senders(ward7, blocked));

  test('[RUN-3] [E2S-3] [E2S-4] New e-mail senders get the defaults that the file leads to, and applying it again changes nothing', async () => {
    const expected = [
      '+ company Care: id 1, allowedDomainEndings .care.example .xn--bcher-kva.example',
      '+ user alice in Care: id 11, roles send, smtpSplit true',
      '+ user bob in Care: id 12, roles send',
      '+ e-mail defaults of Care: payinguser alice, sender NordicCare, maxSms 3',
      '+ e-mail sender ward7@a.care.example in Care: payinguser bob, sender NordicCare, maxSms 3, includeSubject true',
      '+ e-mail sender @a.care.example in Care: blocked true, payinguser alice, sender NordicCare, maxSms 2',
    ];
    expect(await linesOf(everything, { dryRun: true })).toEqual(expected);
    expect(await findEntry(store, 'ward7@a.care.example')).toEqual({ kind: 'unknown' });
    expect(await linesOf(everything)).toEqual(expected);
    expect(await linesOf(everything)).toEqual([]);
    expect(await linesOf(everything, { dryRun: true })).toEqual([]);
    expect(await findEntry(store, 'WARD7@a.care.example')).toMatchObject({
      kind: 'allowed',
      entry: {
        email: 'ward7@a.care.example',
        payingUser: { id: 12, username: 'bob' },
        settings: { sender: 'NordicCare', maxSms: 3, includeSubject: true },
      },
    });
    expect(await findEntry(store, 'ward8@a.care.example')).toMatchObject({ kind: 'blocked' });
  });

  test('[RUN-3] [E2S-3] An e-mail sender in the file is its whole definition, and what the file does not name stays', async () => {
    await linesOf(everything);
    await setEntry(administering(store), admin, {
      key: key('ward9@a.care.example'),
      blocked: false,
      payingUser: 'bob',
      settings: noSettings,
    });
    await setDefaults(administering(store), admin, {
      payingUser: undefined,
      settings: { ...noSettings, sender: 'Ward' },
    });
    expect(await linesOf(care(users()))).toEqual([]);
    // The entry's sender came from the defaults, which have changed since, and no file has set it.
    expect(await linesOf(care(users(), senders(ward7)))).toEqual([]);
    expect(await linesOf(care(users(), senders('{ email: ward7@a.care.example, blocked: true }')))).toEqual([
      '~ e-mail sender ward7@a.care.example in Care: blocked false -> true, payinguser bob -> alice, includeSubject true -> false',
    ]);
    expect(await linesOf(care(users(), 'emailDefaults: { payinguser: bob }'))).toEqual([
      '~ e-mail defaults of Care: payinguser alice -> bob, sender Ward -> none, maxSms 3 -> none',
    ]);
    expect(await linesOf(care(users(), 'emailDefaults: { remove: true }'))).toEqual([
      '- e-mail defaults of Care',
    ]);
    expect(await linesOf(care(users(), 'emailDefaults: {}'))).toEqual([]);
    const gone = care(
      users(),
      senders('{ email: WARD7@a.care.example, remove: true }', '{ email: x@y, remove: true }'),
    );
    expect(await linesOf(gone)).toEqual(['- e-mail sender ward7@a.care.example in Care']);
    expect(await linesOf(gone)).toEqual([]);
    expect(await findEntry(store, 'ward9@a.care.example')).toMatchObject({ kind: 'allowed' });
  });

  test('[RUN-3] [E2S-3] [E2S-4] [E2S-6] E-mail settings that do not fit are reported, and nothing is applied', async () => {
    const bad = care(
      'users: [{ username: alice, id: 11, roles: [send] }, { username: bob, roles: [jobs] }, { username: eve, active: false, roles: [send] }]',
      'emailDefaults: { payinguser: "12", splitCallback: true }',
      senders(
        '{ email: a@care.example, payinguser: alice, splitCallback: false }',
        '{ email: a@a.care.example, payinguser: bob }',
        '{ email: b@a.care.example, payinguser: eve }',
        '{ email: c@a.care.example, payinguser: nobody }',
        '{ email: d@a.care.example, payinguser: tom }',
        '{ email: e@a.care.example, payinguser: alice }',
        '{ email: f@a.care.example }',
      ),
      '\n  - name: Taxi\n    users: [{ username: tom, roles: [send] }]\n    emailSenders: [{ email: a@b.example }]',
    );
    const line = `companies[0].emailSenders`;
    expect((await faultsOf(bad)).map((one) => one.replace(/ \(line \d+, column \d+\)/, ''))).toEqual([
      'companies[0].emailDefaults.payinguser: the company Care has no user "12" to pay',
      `${line}[0].email: the domain care.example does not end with any of the "allowedDomainEndings" of the company (.care.example, .xn--bcher-kva.example)`,
      `${line}[1].payinguser: the user bob may not send SMS: it lacks the role "send"`,
      `${line}[2].payinguser: the user eve is not active`,
      `${line}[3].payinguser: the company Care has no user "nobody" to pay`,
      `${line}[4].payinguser: the company Care has no user "tom" to pay`,
      `${line}[5].splitCallback: the paying user alice needs "smtpSplit: true" for "splitCallback"`,
      `${line}[6].payinguser: the company Care has no user "12" to pay`,
      'companies[1].emailSenders[0]: needs a key "payinguser", since the "emailDefaults" of the company have none',
      'companies[1].emailSenders[0].email: the domain b.example does not end with any of the "allowedDomainEndings" of the company (there are none)',
    ]);
    expect(await linesOf('companies: [{ name: Care }]')).toEqual(['+ company Care']);
  });

  test('[RUN-3] Applying a file reads only those e-mail senders that it concerns', async () => {
    await linesOf(everything);
    const senderKeysOf = async (content: string) => {
      const { plan } = readPlan(content);
      if (plan === undefined) throw new Error('the file has a fault');
      return (await store.read(readState, scopeOf(plan))).objects.emailSenders.map(({ email }) => email);
    };
    expect(await senderKeysOf(care(users()))).toEqual([]);
    expect(await senderKeysOf(care(senders(ward7)))).toEqual(['ward7@a.care.example']);
    expect(await senderKeysOf(care(users('{ username: bob, remove: true }')))).toEqual([
      'ward7@a.care.example',
    ]);
    expect(await senderKeysOf('companies: [{ name: Care, remove: true }]')).toEqual([
      '@a.care.example',
      'ward7@a.care.example',
    ]);
  });

  test('[RUN-3] [E2S-3] An e-mail address on another company’s list is refused, even for removal', async () => {
    await linesOf(everything);
    const taxi = (entry: string) =>
      `companies: [{ name: Taxi, allowedDomainEndings: [.example], users: [{ username: tom, roles: [send] }], emailSenders: [${entry}] }]`;
    for (const entry of [
      '{ email: WARD7@a.care.example, payinguser: tom }',
      '{ email: ward7@a.care.example, remove: true }',
    ]) {
      expect(await faultsOf(taxi(entry))).toEqual([
        expect.stringMatching(
          /^companies\[0\]\.emailSenders\[0\]\.email \(line 1, .*: ward7@a\.care\.example is on the list of the company Care$/,
        ),
      ]);
    }
    expect(await linesOf(taxi('{ email: other@a.care.example, payinguser: tom }'))).toHaveLength(3);
  });

  test('[RUN-3] [E2S-4] A paying user can be removed only if nothing is left that the user pays for', async () => {
    await linesOf(everything);
    const noBob = users('{ username: bob, remove: true }');
    expect(await faultsOf(care(noBob))).toEqual([
      expect.stringContaining(
        'the user bob pays for the e-mail sender ward7@a.care.example; name another "payinguser", or remove the sender too',
      ),
    ]);
    expect(await faultsOf(care('users: [{ username: alice, remove: true }]'))).toEqual([
      expect.stringContaining('the user alice pays for e-mail senders of Care by default'),
      expect.stringContaining('the user alice pays for the e-mail sender @a.care.example'),
    ]);
    expect(await faultsOf(care(noBob, senders(ward7)))).toEqual([
      expect.stringContaining('the company Care has no user "bob" to pay'),
    ]);
    expect(await linesOf(care(noBob, senders('{ email: ward7@a.care.example }')))).toEqual([
      '- user bob in Care',
      '~ e-mail sender ward7@a.care.example in Care: payinguser bob -> alice, includeSubject true -> false',
    ]);
    expect(await findEntry(store, 'ward7@a.care.example')).toMatchObject({
      entry: { payingUser: { username: 'alice' } },
    });
  });

  test('[RUN-3] [E2S-4] Digits as a paying user are an id, and never a username', async () => {
    const digits = users('{ username: "900900", id: 12, roles: [send] }');
    for (const name of ['900900', '0900900']) {
      const entry = `{ email: ward7@a.care.example, payinguser: "${name}" }`;
      expect(await faultsOf(care(digits, senders(entry)))).toEqual([
        expect.stringContaining(`the company Care has no user "${name}" to pay`),
      ]);
      expect(await faultsOf(care(digits, `emailDefaults: { payinguser: "${name}" }`))).toEqual([
        expect.stringContaining(`the company Care has no user "${name}" to pay`),
      ]);
    }
    expect(
      await linesOf(care(digits, senders('{ email: ward7@a.care.example, payinguser: "012" }'))),
    ).toContain('+ e-mail sender ward7@a.care.example in Care: payinguser 900900');
  });

  test('[RUN-3] [E2S-4] A paying user can be suspended, and the e-mail senders that the user pays for stay', async () => {
    const split = everything.replace('"@a.care.example",', '"@a.care.example", splitCallback: true,');
    await linesOf(split);
    const suspended = split.replace(
      'alice, id: 11, roles: [send], smtpSplit: true',
      'alice, id: 11, active: false',
    );
    expect(await linesOf(suspended)).toEqual([
      '~ user alice in Care: roles send -> none, active true -> false, smtpSplit true -> false',
    ]);
    expect(await linesOf(suspended)).toEqual([]);
    expect(await findEntry(store, 'a@a.care.example')).toMatchObject({
      kind: 'blocked',
      entry: { payingUser: { username: 'alice' } },
    });
    // Entries that the file changes are checked as usual.
    expect(await faultsOf(suspended.replace('maxSms: 2', 'maxSms: 4'))).toEqual([
      expect.stringContaining('the user alice is not active'),
    ]);
    expect(await faultsOf(suspended.replace('maxSms: "3"', 'maxSms: 4'))).toEqual([
      expect.stringContaining('emailDefaults.payinguser (line 6, column 34): the user alice is not active'),
    ]);
    expect(await linesOf(split)).toHaveLength(1);
  });

  test('[RUN-3] [E2S-3] A company is removed with its e-mail senders, and its addresses are free again', async () => {
    await linesOf(everything);
    expect(await linesOf('companies: [{ name: Care, remove: true }]')).toEqual([
      '- company Care',
      '- user alice in Care',
      '- user bob in Care',
      '- e-mail defaults of Care',
      '- e-mail sender @a.care.example in Care',
      '- e-mail sender ward7@a.care.example in Care',
    ]);
    expect(await findEntry(store, 'ward7@a.care.example')).toEqual({ kind: 'unknown' });
    const another = everything.replace('Care\n', 'Clinic\n').replaceAll(/(?<=id: |")1/g, '9');
    expect(await linesOf(another)).toHaveLength(6);
  });

  test('[RUN-3] [E2S-3] SMTPSPLIT is open to an e-mail sender only while the profile of its paying user allows it', async () => {
    await linesOf(everything);
    const split = senders('{ email: ward7@a.care.example, payinguser: bob, splitCallback: true }');
    expect(await faultsOf(care(split))).toEqual([expect.stringContaining('"smtpSplit: true"')]);
    const bob = '{ username: bob, id: 12, roles: [send], smtpSplit: true }';
    expect(await linesOf(care(users(bob), split))).toEqual([
      '~ user bob in Care: smtpSplit false -> true',
      '~ e-mail sender ward7@a.care.example in Care: includeSubject true -> false, splitCallback false -> true',
    ]);
    expect(await findEntry(store, 'ward7@a.care.example')).toMatchObject({ payer: { smtpSplit: true } });
    expect(await linesOf(care(users()))).toEqual(['~ user bob in Care: smtpSplit true -> false']);
  });

  test('[RUN-3] [MAIL-4] Lines of mail gateways are stored with normalised white space and unchanged letter case', async () => {
    const named = (lines: string) => `companies:\n  - name: Care\n    mailCut: ${lines}\n`;
    expect(await linesOf(named('["This  mail comes from outside", "Confidential:"]'))).toEqual([
      '+ company Care: mailCut "This mail comes from outside" "Confidential:"',
    ]);
    expect(await linesOf(named('["This mail comes from outside", "Confidential:"]'))).toEqual([]);
    const many = JSON.stringify(Array.from({ length: 21 }, (_, place) => `Notice ${place}`));
    expect(
      await Promise.all(
        ['["Hi", ""]', many, ''].map(async (lines) =>
          (await faultsOf(named(lines))).map((one) => one.replace(/ \(line \d+, column \d+\)/, '')),
        ),
      ),
    ).toEqual([
      [
        'companies[0].mailCut[0]: must have at least 5 characters, because every line that begins with this text is removed',
        'companies[0].mailCut[1]: must not be empty',
      ],
      ['companies[0].mailCut: must have at most 20 lines'],
      ['companies[0].mailCut: has no value; write [] for an empty list, or leave the key out for none'],
    ]);
    expect(await linesOf(named('[]'))).toEqual([
      '~ company Care: mailCut "This mail comes from outside" "Confidential:" -> none',
    ]);
  });

  test('[E2S-6] A domain ending without a leading dot causes a warning whenever the file is applied, and on a dry run', async () => {
    const loose =
      'companies:\n  - name: Care\n    allowedDomainEndings: [.a.example, care.example, care.example]\n';
    const warning =
      'companies[0].allowedDomainEndings[1] (line 3, column 40): warning: the ending "care.example" also matches domains that anyone can register, such as evilcare.example; ".care.example" matches only subdomains of care.example';
    for (const options of [{ dryRun: true }, {}, {}]) {
      expect(await apply(loose, options)).toMatchObject({ warnings: [warning, expect.any(String)] });
    }
    expect(await apply('companies: [{ name: Care }]')).toEqual({
      kind: 'applied',
      lines: ['~ company Care: allowedDomainEndings .a.example care.example -> none'],
      warnings: [],
    });
  });
});
