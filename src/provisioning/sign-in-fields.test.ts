import { beforeEach, expect, test } from 'vitest';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { findAccountByUsername } from '../accounts/account.ts';
import type { Store } from '../storage/store.ts';

const file = (company: string, user: string) =>
  `companies: [{ name: Nordic Care${company}, users: [{ username: alice, roles: [send]${user} }] }]`;

eachStore('e-mails of sign-ins in a provisioning file', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
  });

  const { linesOf, faultsOf } = provisioningOf(() => store);
  const alice = () => store.read(findAccountByUsername, 'alice');

  test('[RUN-3] [PORT-2] Sign-in e-mails are off unless the company turns them on, and go to the user’s address in its canonical form', async () => {
    expect(await linesOf(file('', ''))).toEqual([
      '+ company Nordic Care',
      '+ user alice in Nordic Care: roles send',
    ]);
    expect(await alice()).toMatchObject({ user: { email: undefined }, company: { signInMails: false } });
    expect(await linesOf(file(', signInMails: true', ', email: Alice@Bücher.example'))).toEqual([
      '~ company Nordic Care: signInMails false -> true',
      '~ user alice in Nordic Care: email none -> alice@xn--bcher-kva.example',
    ]);
    expect(await alice()).toMatchObject({
      user: { email: 'alice@xn--bcher-kva.example' },
      company: { signInMails: true },
    });
    expect(await linesOf(file('', ''))).toEqual([
      '~ company Nordic Care: signInMails true -> false',
      '~ user alice in Nordic Care: email alice@xn--bcher-kva.example -> none',
    ]);
  });

  test('[RUN-3] An invalid e-mail address of a user is reported with its place, and no log gets an address', async () => {
    const [fault] = await faultsOf(file('', ', email: alice at home'));
    expect(fault).toMatch(
      /^companies\[0\]\.users\[0\]\.email \(line 1, column \d+\): “alice at home” has no @/,
    );
    const lines = await linesOf(file('', ', email: alice@care.example'), { audience: 'log' });
    expect(lines.join('\n')).toContain('+ user alice in Nordic Care');
    expect(lines.join('\n')).not.toContain('care.example');
    const changed = await linesOf(file('', ', email: a@care.example'), { audience: 'log' });
    expect(changed.join('\n')).toContain('email');
    expect(changed.join('\n')).not.toContain('care.example');
  });
});
