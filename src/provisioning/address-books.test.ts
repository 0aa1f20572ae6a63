import { beforeEach, expect, test } from 'vitest';
import { countPersonalRows } from '../../test/harness/contact-verbs.ts';
import { provisioningOf } from '../../test/harness/provisioning.ts';
import { eachStore } from '../../test/harness/stores.ts';
import { listReadableBooks } from '../contacts/address-book.ts';
import { changeContacts, listContacts } from '../contacts/contact-store.ts';
import { selectNumbers } from '../contacts/select-recipients.ts';
import type { Store } from '../storage/store.ts';
import { readLastApplied } from './store.ts';

const staff = `
companies:
  - name: Nordic Care
    addressBooks:
      - id: 11
        name: Staff
        contacts:
          - { id: 9001, name: Anna Berg, phone: "+46701000001", email: anna@care.example, app: "", tags: { role: [nurse], ward: ["7", "8"] } }
          - { id: 9002, name: Bo, phone: "46701000002", tags: { role: doctor } }
          - { phone: "46701000003" }
        savedTagFilters: { nurses: "role:nurse" }
        groups: { board: ["+46701000009", { contact: 9002 }] }
    users:
      - { username: alice, id: 501, addressBooks: [Staff], defaultAddressBook: Staff }
      - { username: bob, id: 502, defaultAddressBook: Staff }
      - { username: carol, id: 503, addressBooks: [Staff] }
      - { username: dan, id: 504 }
`;

eachStore('address books in a provisioning file', (engine) => {
  let store: Store;
  beforeEach(async () => {
    store = (await engine.openFreshStore()).store;
  });

  const { apply, linesOf, faultsOf } = provisioningOf(() => store);

  const contacts = () => store.read(listContacts, { bookId: 11, afterId: 0, limit: 100 });
  const numbers = async (what: { readonly savedFilters?: string[]; readonly groups?: string[] }) => {
    const query = {
      companyId: 1_001,
      userId: 501,
      filter: undefined,
      savedFilters: [],
      groups: [],
      limit: 10,
      ...what,
    };
    const selected = await selectNumbers(store, query);
    return selected.kind === 'selected' ? [...selected.byFilters, ...selected.byGroups] : selected;
  };

  /** Replaces a part of the file by another. */
  const changed = (from: string, to: string) => {
    expect(staff).toContain(from);
    return staff.replace(from, to);
  };

  test('[RUN-3] A provisioning file creates address books with contacts, filters and groups, and reports no personal data', async () => {
    const lines = [
      '+ company Nordic Care',
      '+ address book Staff in Nordic Care: id 11, filter nurses role:nurse, group board 2 members',
      '+ user alice in Nordic Care: id 501, roles none, addressBooks Staff, defaultAddressBook Staff',
      '+ user bob in Nordic Care: id 502, roles none, addressBooks Staff, defaultAddressBook Staff',
      '+ user carol in Nordic Care: id 503, roles none, addressBooks Staff',
      '+ user dan in Nordic Care: id 504, roles none',
      '~ contacts of Staff in Nordic Care: 3 created (9001, 9002)',
    ];
    expect(await linesOf(staff, { dryRun: true })).toEqual(lines);
    expect(await linesOf(staff)).toEqual(lines);
    expect(await contacts()).toMatchObject([
      {
        externalId: '9001',
        name: 'Anna Berg',
        phone: '46701000001',
        email: 'anna@care.example',
        tags: [
          { type: 'role', value: 'nurse' },
          { type: 'ward', value: '7' },
          { type: 'ward', value: '8' },
        ],
      },
      { externalId: '9002', name: 'Bo', tags: [{ type: 'role', value: 'doctor' }] },
      { externalId: undefined, name: '', phone: '46701000003', tags: [] },
    ]);
    expect(await numbers({ savedFilters: ['nurses'] })).toEqual(['46701000001']);
    expect(await numbers({ groups: ['board'] })).toEqual(['46701000009', '46701000002']);
    const rights = await Promise.all([501, 502, 503, 504].map((id) => store.read(listReadableBooks, id)));
    expect(rights.map((books) => books.map(({ isDefault }) => isDefault))).toEqual([
      [true],
      [true],
      [false],
      [],
    ]);
  });

  test('[RUN-3] Applying unchanged address books again, or any file as a dry run, changes nothing', async () => {
    await linesOf(staff);
    const before = await contacts();
    expect(await linesOf(staff)).toEqual([]);
    expect(await linesOf(staff, { dryRun: true })).toEqual([]);
    const dry = changed('role: doctor', 'role: [doctor, chief]');
    expect(await linesOf(dry, { dryRun: true })).toEqual([
      '~ contacts of Staff in Nordic Care: 1 changed (9002)',
    ]);
    expect(await contacts()).toEqual(before);
  });

  test('[RUN-3] What the file does not name in an address book stays, and `remove: true` removes an entry', async () => {
    await linesOf(staff);
    const lines = await linesOf(`
companies:
  - name: Nordic Care
    addressBooks:
      - name: Staff
        contacts: [{ id: 9002, remove: true }, { id: 9004, phone: "46701000004", tags: { role: [nurse] } }]
        savedTagFilters: { night: "shift:night|late" , nurses: { remove: true } }
        groups: { board: ["+46701000008", "+46701000009"], empty: [] }
    users: [{ username: carol, id: 503, addressBooks: [] }]
`);
    expect(lines).toEqual([
      '~ address book Staff in Nordic Care: filter nurses role:nurse -> none, filter night none -> shift:night|late, group board 2 members -> 2 members now, group empty none -> 0 members now',
      '~ user carol in Nordic Care: addressBooks Staff -> none',
      '~ contacts of Staff in Nordic Care: 1 created (9004), 1 removed (9002)',
    ]);
    expect((await contacts()).map(({ externalId }) => externalId)).toEqual(['9001', undefined, '9004']);
    expect(await numbers({ groups: ['board'] })).toEqual(['46701000008', '46701000009']);
    expect(await numbers({ savedFilters: ['nurses'] })).toMatchObject({ kind: 'unknownName' });
    expect(await store.read(listReadableBooks, 503)).toEqual([]);
    expect(await store.read(listReadableBooks, 501)).toHaveLength(1);
  });

  test('[RUN-3] Removing an address book removes all its people, and removing a company removes its address books', async () => {
    await linesOf(staff);
    const removed = `
companies:
  - name: Nordic Care
    addressBooks: [{ name: Staff, remove: true }]
    users: [{ username: alice }, { username: bob }]
`;
    expect(await linesOf(removed)).toContain('- address book Staff in Nordic Care');
    const nobody = { contacts: 0, tags: 0, members: 0 };
    expect(await store.read(countPersonalRows, 11)).toEqual(nobody);
    expect(await store.read(listReadableBooks, 503)).toEqual([]);
    await linesOf(staff);
    const gone = await linesOf('companies: [{ name: Nordic Care, remove: true }]');
    expect(gone).toContain('- address book Staff in Nordic Care');
    expect(gone).toContain('- company Nordic Care');
    expect(await store.read(countPersonalRows, 11)).toEqual(nobody);
  });

  test.each([
    ['"46701000002"', '"0701"', 'contacts[1].phone (line 9, column 42): “0701” begins with 0'],
    [
      '"role:nurse"',
      '"role:"',
      'savedTagFilters.nurses (line 11, column 36): The tag value at character 6 is empty',
    ],
    [
      'role: doctor',
      'ro|le: doctor',
      'contacts[1].tags (line 9, column 63): the tag type “ro|le” contains “|”',
    ],
    ['role: doctor', 'role: { a: b }', 'contacts[1].tags.role (line 9, column 71): must be a text'],
    [
      '{ phone: "46701000003" }',
      '{ name: Nobody }',
      'contacts[2] (line 10, column 13): needs an "id", a "phone" or',
    ],
    ['{ phone: "46701000003" }', '{ id: 9001 }', 'contacts[2] (line 10, column 13): this id appears twice'],
    [
      '{ phone: "46701000003" }',
      '{ phone: "46701000001" }',
      'contacts[2] (line 10, column 13): this phone number or e-mail address appears twice in the book, first at',
    ],
    ['anna@care.example', 'anna', 'contacts[0].email (line 8, column'],
    [
      '{ contact: 9002 }',
      '{ contact: 7 }',
      'groups.board (line 12, column 26): the address book "Staff" has no contact',
    ],
    ['{ contact: 9002 }', '{ person: 9002 }', 'unknown key'],
    ['"+46701000009"', '""', 'groups.board[0] (line 12, column 27): “” has no digits'],
    ['nurses: "role', '" nurses": "role', 'the name must not begin or end with a space'],
    ['board:', '"bo\\0ard":', 'the name must not contain control characters'],
  ])('[RUN-3] %s as %s: a fault with its place, and nothing is applied', async (from, to, fault) => {
    const faults = await faultsOf(changed(from, to));
    expect(faults.join('\n')).toContain(fault);
    expect(faults[0]).toMatch(/^companies\[0\]\.addressBooks\[0\]\./);
    expect(await store.read(readLastApplied, '/etc/carillon.yaml')).toBeUndefined();
  });

  test('[RUN-3] Users may read only address books of their company, and their default address book must be one of those', async () => {
    const dan = '{ username: dan, id: 504 }';
    const unknown = changed(dan, '{ username: dan, addressBooks: [Staf] }');
    expect(await faultsOf(unknown)).toEqual([
      'companies[0].users[3].addressBooks (line 17, column 40): the company Nordic Care has no address book "Staf"',
    ]);
    const unreadable = changed(dan, '{ username: dan, addressBooks: [], defaultAddressBook: Staff }');
    expect((await faultsOf(unreadable))[0]).toContain('"Staff" is not among the "addressBooks"');
    const elsewhere = `${staff}  - { name: Other, users: [{ username: eve, defaultAddressBook: Staff }] }\n`;
    expect((await faultsOf(elsewhere))[0]).toContain('the company Other has no address book "Staff"');
    await linesOf(staff);
    const taken = `companies: [{ name: Other, addressBooks: [{ name: Staff, id: 11 }] }]`;
    expect((await faultsOf(taken))[0]).toContain('this id belongs to the address book Staff');
    const moved = 'companies: [{ name: Nordic Care, addressBooks: [{ name: Staff, id: 12 }] }]';
    expect((await faultsOf(moved))[0]).toContain(
      'the address book Staff has the id 11, and ids cannot be changed',
    );
    const removed = `companies: [{ name: Nordic Care, addressBooks: [{ name: Staff, remove: true }], users: [{ username: dan, addressBooks: [Staff] }] }]`;
    expect((await faultsOf(removed))[0]).toContain('has no address book "Staff"');
  });

  test('[PORT-6] A contact that a file no longer names is no longer managed, even if another has the number or all are left out', async () => {
    const managed = async () =>
      (await contacts()).flatMap(({ externalId, managedBy }) => (managedBy === undefined ? [] : externalId));
    const both = changed('phone: "46701000002"', 'phone: "46701000001"');
    await linesOf(both);
    expect(await managed()).toEqual(['9001', '9002', undefined]);
    const bo = '          - { id: 9002, name: Bo, phone: "46701000001", tags: { role: doctor } }\n';
    const withoutBo = both.replace(bo, '').replace(', { contact: 9002 }', '');
    await linesOf(withoutBo);
    expect(await managed()).toEqual(['9001', undefined]);
    await linesOf(withoutBo.replace(/ {8}contacts:\n( {10}- .*\n)+/, ''));
    expect(await managed()).toEqual([]);
    await linesOf(withoutBo);
    expect(await managed()).toEqual(['9001', undefined]);
    await linesOf('companies: [{ name: Nordic Care }]');
    expect(await managed()).toEqual([]);
  });

  test('[RUN-3] A provisioning file counts as applied only once its contacts are stored', async () => {
    await linesOf(staff);
    expect(await store.read(readLastApplied, '/etc/carillon.yaml')).toBe(staff);
    await store.write(changeContacts, {
      bookId: 11,
      changes: [
        {
          externalId: '9001',
          name: undefined,
          phone: undefined,
          email: undefined,
          app: undefined,
          tags: undefined,
          remove: true,
        },
      ],
    });
    // The content is unchanged, so a start keeps changes made by other means.
    expect(await apply(staff, { when: 'contentChanged' })).toEqual({ kind: 'skipped' });
    expect(await linesOf(staff)).toEqual(['~ contacts of Staff in Nordic Care: 1 created (9001)']);
  });
});
