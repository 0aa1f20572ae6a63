/** Tests the address book as its users see it: listed, searched for recipients, imported and exported. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, bob, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { keyPath, sendPath, singlePath, storedMessages, storedOf } from '../harness/messaging.ts';

const prefix = '/addressbook/svcaddressbook';
const booksPath = `${prefix}/listaddressbooks`;
const tagsPath = `${prefix}/listtags`;

const [anna, bo, cleo, outside] = ['46701740620', '46701740621', '46701740622', '46701740629'] as const;

const book = `    addressBooks:
      - id: 11
        name: Staff
        contacts:
          - { id: 9001, name: Anna, phone: "+46 70-174 06 20", tags: { role: [nurse], ward: ["7", "8"] } }
          - { id: 9002, name: Bo, phone: "${bo}", tags: { role: doctor, ward: ["7"] } }
          - { id: 9003, name: Cleo, phone: "${cleo}", tags: { role: [Nurse], "night, late": [ "yes" ] } }
          - { id: 9004, name: Dan, email: dan@care.example, tags: { role: [porter] } }
        savedTagFilters: { nurses: "role:nurse", "ward 7, all": "ward:7" }
        groups: { board: ["+${outside}", { contact: 9001 }, { contact: 9004 }], "a,b": ["${bo}"], empty: [] }
      - { id: 12, name: Secret }
`;
const provisioning = standardProvisioning
  .replace('    users:\n', `${book}    users:\n`)
  .replace('username: alice,', 'username: alice, addressBooks: [Staff], defaultAddressBook: Staff,')
  .replace('username: bob,', 'username: bob, addressBooks: [Staff],');

describe('the address book', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  const post = (body: object) => app.as(alice).post(sendPath, { message: 'Hello', ...body });
  const get = (query: string) => app.as(alice).get(`${sendPath}?M8=Hello&${query}`);
  const numbersOf = ({ body }: { readonly body: { readonly accepted?: readonly { to: string }[] } }) =>
    body.accepted?.map(({ to }) => to);

  test('[ABOOK-1] Users get a list of the address books that they may read, by GET and POST', async () => {
    const books = { addressbooks: [{ id: 11, name: 'Staff' }] };
    for (const client of [app.as(alice), app.as(bob)]) {
      expect((await client.get(booksPath)).body).toEqual(books);
      expect((await client.post(booksPath, {})).body).toEqual(books);
    }
    expect((await app.as().post(booksPath, alice)).body).toEqual(books);
  });

  test('[ABOOK-1] [AUTH-3] A 401 for address books has no body, whether the client is unauthenticated or the user may read no address book', async () => {
    const carol = { username: 'carol', password: "carol's long password" };
    for (const client of [app.as({ ...alice, password: 'wrong' }), app.as(), app.as(carol)]) {
      const answer = await client.get(booksPath);
      expect(answer.status).toBe(401);
      expect(answer.text).toBe('');
      expect(answer.headers.get('www-authenticate')).toContain('Basic');
    }
    // On other paths, a 401 has a body.
    expect((await app.as().get(tagsPath)).body).toMatchObject({ code: 'unauthorised' });
  });

  test('[ABOOK-1] [AUTH-2] An API key does not give access to address books', async () => {
    const key = (await app.as(alice).get(keyPath, { name: 'book' })).body as unknown as string;
    for (const path of [booksPath, tagsPath]) {
      expect((await app.as().get(path, { key })).status).toBe(401);
      expect((await app.as().post(path, { apikey: key })).status).toBe(401);
    }
    expect((await app.as().get(`${booksPath}`, { U: alice.username, P: alice.password })).status).toBe(200);
  });

  test('[ABOOK-1] Tags are listed with counts, for the default address book or for one by id', async () => {
    const answer = {
      addressbookid: 11,
      addressbookname: 'Staff',
      tags: [
        { type: 'night, late', typecount: 1, values: [{ value: 'yes', count: 1 }] },
        {
          type: 'role',
          typecount: 4,
          values: ['Nurse', 'doctor', 'nurse', 'porter'].map((value) => ({ value, count: 1 })),
        },
        {
          type: 'ward',
          typecount: 3,
          values: [
            { value: '7', count: 2 },
            { value: '8', count: 1 },
          ],
        },
      ],
    };
    expect((await app.as(alice).get(tagsPath)).body).toEqual(answer);
    expect((await app.as(alice).get(tagsPath, { A: 11 })).body).toEqual(answer);
    expect((await app.as(bob).post(tagsPath, { addressbookid: 11 })).body).toEqual(answer);
    expect((await app.as(bob).post(tagsPath, { addressbookid: '11' })).body).toEqual(answer);
  });

  test('[ABOOK-1] An unknown address book and one that the user may not read get the same 404', async () => {
    const answers = [12, 13].map((id) => app.as(alice).get(tagsPath, { A: id }));
    const [secret, unknown] = await Promise.all(answers);
    expect(secret?.status).toBe(404);
    expect(secret?.text.replace('12', '13')).toBe(unknown?.text);
    expect((await app.as(bob).get(tagsPath)).status).toBe(404);
    expect((await app.as(alice).get(tagsPath, { A: 'x' })).status).toBe(400);
  });

  test('[SEND-8] [ABOOK-2] Tag filters in both notations and saved ones select recipients, by GET and POST', async () => {
    const doctors = [
      { tagtype: 'role', tagvalues: ['nurse', 'doctor'] },
      { tagtype: 'ward', tagvalues: ['7'] },
    ];
    const written = 'role:nurse|doctor;ward:7';
    expect(numbersOf(await post({ toaddressbookcustomtagfilter: written }))).toEqual([anna, bo]);
    expect(numbersOf(await get(`A=${encodeURIComponent(written)}`))).toEqual([anna, bo]);
    expect(numbersOf(await post({ toaddressbooktagfilterjson: doctors }))).toEqual([anna, bo]);
    expect(numbersOf(await post({ toaddressbooksavedtagfilters: ['nurses'] }))).toEqual([anna]);
    expect(numbersOf(await get('S=ward+7%2C+all'))).toEqual([anna, bo]);
    expect(numbersOf(await post({ toaddressbookcustomtagfilter: 'night, late:yes' }))).toEqual([cleo]);
  });

  test('[SEND-8] Groups select recipients, alone and in addition to a filter', async () => {
    expect(numbersOf(await post({ toaddressbookgroups: ['board'] }))).toEqual([outside, anna]);
    expect(numbersOf(await get('G=a%2Cb,board'))).toEqual([bo, outside, anna]);
    const both = await post({ toaddressbookgroups: ['board'], toaddressbooksavedtagfilters: ['nurses'] });
    expect(numbersOf(both)).toEqual([anna, outside]);
  });

  test('[SEND-3] Each number gets the message once, in the order of first mention, with filters and groups last', async () => {
    const before = (await storedMessages(app)).length;
    const answer = await post({
      to: [outside, '0701740621'],
      tosubst: [{ to: `+${cleo}`, subst: { Hello: 'Hi' } }],
      toaddressbookcustomtagfilter: 'role:nurse|doctor|Nurse',
      toaddressbookgroups: ['board', 'a,b'],
      defaultcountrycode: '46',
    });
    expect(numbersOf(answer)).toEqual([outside, bo, cleo, anna]);
    expect(answer.body.rejected).toEqual([]);
    expect((await storedMessages(app)).length).toBe(before + 4);
    // A person found by a filter or group gets the common text; a listed person keeps their own text.
    expect((await storedOf(app, answer)).map(({ text }) => text)).toEqual(['Hello', 'Hello', 'Hi', 'Hello']);
  });

  test('[SEND-8] Two tag filters in one call are refused, in whatever form', async () => {
    const forms = {
      toaddressbookcustomtagfilter: 'role:nurse',
      toaddressbooktagfilterjson: [{ tagtype: 'role', tagvalues: ['nurse'] }],
      toaddressbooksavedtagfilters: ['nurses'],
    };
    const names = Object.keys(forms) as (keyof typeof forms)[];
    for (const [first, second] of [
      [names[0], names[1]],
      [names[0], names[2]],
      [names[1], names[2]],
    ] as [keyof typeof forms, keyof typeof forms][]) {
      const answer = await post({ to: [anna], [first]: forms[first], [second]: forms[second] });
      expect(answer.body).toMatchObject({
        code: 'conflicting_parameters',
        errors: [{ field: first }, { field: second }],
      });
      expect(answer.status).toBe(400);
    }
    expect((await get('S=nurses,doctors')).body).toMatchObject({ code: 'conflicting_parameters' });
    expect(numbersOf(await get('S=nurses,nurses'))).toEqual([anna]);
  });

  test.each([
    [{ toaddressbookcustomtagfilter: 'role' }, 'invalid_tag_filter', 'Part 1 at character 1'],
    [{ toaddressbookcustomtagfilter: 'role:nurse;' }, 'invalid_tag_filter', 'Part 2 at character 12'],
    [{ toaddressbookcustomtagfilter: 7 }, 'invalid_type', 'must be a string'],
    [{ toaddressbooktagfilterjson: 'role:nurse' }, 'invalid_tag_filter', 'must be a list'],
    [
      { toaddressbooktagfilterjson: [{ tagtype: 'a;b', tagvalues: ['c'] }] },
      'invalid_tag_filter',
      '[0].tagtype',
    ],
    [{ toaddressbooksavedtagfilters: ['Nurses'] }, 'unknown_tag_filter', '“Nurses”'],
    [{ toaddressbookgroups: ['board', 'bored'] }, 'unknown_group', '“bored”'],
  ])('[SEND-8] The selection %j is refused with 400 %s', async (body, code, sentence) => {
    const answer = await post({ to: [anna], ...body });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code, error: expect.stringContaining(sentence) });
    const [field] = Object.keys(body);
    expect(answer.body.errors).toMatchObject([{ field, code, error: expect.stringContaining(sentence) }]);
  });

  test('[SEND-8] [SEND-9] An empty selection counts as none, and one that finds nobody says why', async () => {
    const none = {
      toaddressbookcustomtagfilter: '',
      toaddressbooktagfilterjson: [],
      toaddressbooksavedtagfilters: [],
      toaddressbookgroups: null,
    };
    expect((await post(none)).body).toMatchObject({ code: 'no_recipients' });
    expect(numbersOf(await post({ to: [anna], ...none }))).toEqual([anna]);
    const nobody = await post({ toaddressbookcustomtagfilter: 'role:cook' });
    expect(nobody.status).toBe(400);
    expect(nobody.body).toMatchObject({ code: 'nothing_queued', rejected: [] });
    const withoutPhone = await post({ toaddressbookcustomtagfilter: 'role:porter' });
    expect(withoutPhone.body.error).toContain('1 contact, who has no phone number');
    expect((await post({ toaddressbookgroups: ['empty'] })).body).toMatchObject({ code: 'nothing_queued' });
    expect(numbersOf(await post({ to: [anna], toaddressbookgroups: ['empty'] }))).toEqual([anna]);
  });

  test('[SEND-8] Selections search only the default address book, and a user without a default address book gets an error that says so', async () => {
    const answer = await app.as(bob).post(sendPath, { message: 'Hello', toaddressbookgroups: ['board'] });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      code: 'no_address_book',
      errors: [{ field: 'toaddressbookgroups', code: 'no_address_book' }],
    });
  });

  test('[SEND-18] The flat form of a send call selects nobody from the address book', async () => {
    const answer = await app.as(alice).post(singlePath, {
      to: anna,
      message: 'Hello',
      toaddressbookgroups: ['board'],
    });
    expect(answer.body).toMatchObject({ to: anna });
  });

  test('[SEND-20] [SEND-8] A call repeated with its idempotency key gets its first answer, even if others have joined since', async () => {
    const repeat = () =>
      app
        .as(alice)
        .post(
          sendPath,
          { message: 'Hello', toaddressbookcustomtagfilter: 'role:joiner|doctor' },
          { 'idempotency-key': 'the address book' },
        );
    const first = await repeat();
    expect(numbersOf(first)).toEqual([bo]);
    const joiner = '          - { id: 9005, phone: "46701740625", tags: { role: joiner } }\n';
    await app.apply(provisioning.replace('        savedTagFilters', `${joiner}        savedTagFilters`));
    expect((await repeat()).text).toBe(first.text);
    expect(numbersOf(await post({ toaddressbookcustomtagfilter: 'role:joiner|doctor' }))).toEqual([
      bo,
      '46701740625',
    ]);
  });

  test('[RUN-3] Contacts are imported from a CSV file, and exported into one', async () => {
    const file = join(app.env.CARILLON_DATA as string, 'people.csv');
    const importFile = (text: string, ...options: readonly string[]) => {
      writeFileSync(file, text);
      return app.run('contacts', 'import', file, '--book', 'Secret', ...options);
    };
    const text = 'id;name;phone;tag:role\n1;Eva;070-174 06 40;nurse|night\n2;Finn;070-174 06 41;\n';
    expect(await importFile(text)).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(/^line 2: phone: .*\nline 3: .*\nNothing was/),
    });
    const imported = await importFile(text, '--country-code', '46');
    expect(imported).toMatchObject({ exitCode: 0, stdout: '2 created, 0 changed, 0 unchanged\n' });
    const faulty = 'id,phone\n1,46701740640\n2,46701740642\n3,12\n';
    expect((await importFile(faulty, '--skip-faulty', '--dry-run')).stdout).toBe(
      '0 created, 1 changed, 1 unchanged, 1 skipped\n',
    );
    expect((await importFile(faulty, '--skip-faulty')).stdout).toContain('1 changed');
    const exported = await app.run('contacts', 'export', '--book', 'Secret', '--company', 'Nordic Care');
    expect(exported.stdout).toBe(
      'id,name,phone,email,app,tags\n1,Eva,46701740640,,,role:night|nurse\n2,Finn,46701740642,,,\n',
    );
    const unknown = await app.run('contacts', 'export', '--book', 'Nobody');
    expect(unknown).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('no address book "Nobody"'),
    });
  });
});
