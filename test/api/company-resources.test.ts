/** What resources of a company have in common, tried with each of them by its calls. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ifMatch } from '../harness/api-client.ts';
import { standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { companyResources, managedId, managedResources, pathOf } from '../harness/company-resources.ts';

const administrator = { username: 'ada', password: "ada's long password" };
const provisioning = standardProvisioning.replace(
  'carriers:\n',
  `      - { username: ada, password: "${administrator.password}", roles: [send, companyAdmin] }
${managedResources}
carriers:
`,
);

let app: WholeApp;
beforeAll(async () => {
  app = await startWholeApp({ engine: 'sqlite', provisioning });
});
afterAll(() => app?.close());

describe.each(companyResources)('$resource.declaration.plural', ({ resource, given }) => {
  const path = pathOf({ resource, given });
  const { plural, acts } = resource.declaration;
  const [field = ''] = Object.keys(given);
  const ada = () => app.as(administrator);

  test('[PORT-4] [PORT-7] one is made, listed, changed unless somebody else was first, and removed', async () => {
    const made = (await ada().post(path, given)).body;
    const { id, version } = made;
    const listed = (await ada().get(path)).body[plural] as readonly { readonly id: string }[];
    expect(listed.map((one) => one.id).sort()).toEqual([id, String(managedId)].sort());
    const changed = await ada().patch(`${path}/${id}`, { [field]: 'Changed' }, ifMatch(version));
    expect(changed).toMatchObject({ status: 200, body: { ...given, [field]: 'Changed', managed: false } });
    const tooLate = { status: 412, body: { code: 'changed_meanwhile' } };
    expect(await ada().patch(`${path}/${id}`, { [field]: 'Late' }, ifMatch(version))).toMatchObject(tooLate);
    const headers = ifMatch(version);
    expect(await ada().request('DELETE', `${path}/${id}`, { headers })).toMatchObject(tooLate);
    expect((await ada().get(`${path}/${id}`)).body).toEqual(changed.body);
    expect(await ada().request('DELETE', `${path}/${id}`)).toMatchObject({ status: 200, body: { id } });
    expect((await ada().get(`${path}/${id}`)).status).toBe(404);
    const { entries } = (await ada().get('/api/v1/audit')).body;
    expect(entries.slice(0, 3)).toMatchObject(
      [acts.remove, acts.change, acts.make].map((act) => ({ act, object: id, username: 'ada' })),
    );
  });

  test('[PORT-6] what a file manages is changed by the file alone', async () => {
    const managed = `${path}/${managedId}`;
    expect((await ada().get(managed)).body).toMatchObject({ ...given, managed: true });
    expect((await ada().patch(managed, { [field]: 'Changed' })).body.code).toBe('managed');
    expect(
      await app.apply(provisioning.replaceAll(`"${field}":"${given[field]}"`, `"${field}":"Other"`)),
    ).toMatchObject({ exitCode: 0 });
    expect((await ada().get(managed)).body).toMatchObject({ [field]: 'Other', managed: true });
  });
});
