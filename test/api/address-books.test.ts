/** Tests the calls by which administrators make, change and remove address books, and who sees what of them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ifMatch } from '../harness/api-client.ts';
import { alice, bob, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';

const path = '/api/v1/addressbooks';
const provisioning = standardProvisioning
  .replace('roles: [send] }', 'roles: [send, companyAdmin] }')
  .replace(
    '    users:\n',
    '    addressBooks: [{ id: 11, name: Staff, contacts: [{ id: 9001, name: Anna }] }]\n    users:\n',
  );

describe('address books through the management API', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  test('[PORT-10] An administrator makes a book, opens it to a user, renames it, and removes it with its contacts', async () => {
    const client = app.as(alice);
    const made = await client.post(path, { name: ' Ward 7 ', readers: ['bob'], defaultOf: ['bob'] });
    expect(made.status, made.text).toBe(201);
    const { id, version } = made.body;
    expect(made.headers.get('location')).toBe(`${path}/${id}`);
    expect(made.body).toMatchObject({
      name: 'Ward 7',
      readers: ['bob'],
      defaultOf: ['bob'],
      contacts: 0,
      managed: false,
      managedKeys: [],
    });
    expect((await app.as(bob).get(path)).body.addressBooks).toEqual([
      { id, name: 'Ward 7', isDefault: true },
    ]);
    const contact = { name: 'Bo', phone: '+46 70 174 06 99' };
    expect((await client.post(`${path}/${id}/contacts`, contact)).status).toBe(201);
    const renamed = await client.patch(`${path}/${id}`, { name: 'Ward 8' }, ifMatch(version));
    expect(renamed.body).toMatchObject({ name: 'Ward 8', readers: ['bob'], contacts: 1 });
    expect(await client.patch(`${path}/${id}`, { name: 'Late' }, ifMatch(version))).toMatchObject({
      status: 412,
      body: { code: 'changed_meanwhile' },
    });
    const seen = await app.as(bob).get(`${path}/${id}`);
    expect(seen.body).toMatchObject({ name: 'Ward 8', contacts: 1 });
    expect(seen.body).not.toHaveProperty('readers');
    const remove = (query = '') => client.request('DELETE', `${path}/${id}${query}`);
    expect(await remove('?withContacts=true')).toMatchObject({
      status: 409,
      body: { code: 'in_use', error: expect.stringContaining('default address book of bob') },
    });
    expect((await client.patch(`${path}/${id}`, { defaultOf: [] })).body).toMatchObject({ defaultOf: [] });
    expect(await remove()).toMatchObject({
      status: 409,
      body: { code: 'in_use', error: expect.stringContaining('has 1 contact.') },
    });
    expect((await remove('?withContacts=true')).body).toEqual({ id, name: 'Ward 8' });
    expect((await remove('?withContacts=true')).status).toBe(404);
    expect((await app.as(bob).get(path)).body.addressBooks).toEqual([]);
    const audit = (await client.get('/api/v1/audit')).body.entries.slice(0, 2);
    expect(audit).toMatchObject([{ act: 'addressbook.remove' }, { act: 'addressbook.empty' }]);
  });

  test('[PORT-6] The book of the file is marked for administrators only, and is neither renamed nor removed', async () => {
    const client = app.as(alice);
    const [staff] = (await client.get(path)).body.addressBooks;
    expect(staff).toEqual({ id: '11', name: 'Staff', isDefault: false, readerCount: 0, managed: true });
    const one = (await client.get(`${path}/11`)).body;
    expect(one).toMatchObject({ managed: true, managedKeys: ['name'] });
    for (const refused of [
      await client.patch(`${path}/11`, { name: 'People' }),
      await client.request('DELETE', `${path}/11?withContacts=true`),
    ])
      expect(refused).toMatchObject({ status: 409, body: { code: 'managed' } });
    expect((await client.patch(`${path}/11`, { readers: ['bob'] })).body).toMatchObject({ readers: ['bob'] });
    expect((await client.get(`${path}/11`)).body.contacts).toBe(1);
  });

  test.each<[object, code: string, field: string]>([
    [{ name: 'Staff' }, 'taken', 'name'],
    [{ name: ' ' }, 'invalid_value', 'name'],
    [{ name: 'x'.repeat(101) }, 'invalid_value', 'name'],
    [{ name: 'New', readers: ['nobody'] }, 'invalid_value', 'readers'],
    [{ name: 'New', defaultOf: ['bob'] }, 'invalid_value', 'defaultOf'],
    [{ readers: ['bob'] }, 'missing_parameter', 'name'],
  ])('[PORT-10] A book as in %j is refused as %s, at its field', async (book, code, field) => {
    const client = app.as(alice);
    const { body } = await client.post(path, book);
    expect(body.errors?.[0]).toMatchObject({ code, field });
    expect((await client.get(path)).body.addressBooks).toHaveLength(1);
  });

  test('[PORT-3] Users who may read a book change nothing of it, and others do not learn that it is there', async () => {
    await app.as(alice).patch(`${path}/11`, { readers: ['bob'] });
    const client = app.as(bob);
    expect((await client.post(path, { name: 'Own' })).body).toMatchObject({ code: 'role_missing' });
    expect((await client.patch(`${path}/11`, { readers: [] })).body).toMatchObject({ code: 'role_missing' });
    expect((await client.request('DELETE', `${path}/11`)).body).toMatchObject({ code: 'role_missing' });
    await app.as(alice).patch(`${path}/11`, { readers: [] });
    expect((await client.get(`${path}/11`)).body).toMatchObject({ code: 'not_found' });
    expect((await client.patch(`${path}/11`, { readers: [] })).body).toMatchObject({ code: 'not_found' });
  });
});
