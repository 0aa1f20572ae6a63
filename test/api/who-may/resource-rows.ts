/**
 * Who may read a resource of the company, and who may change it. One object of the resource is managed by the
 * provisioning file.
 */
import { managedId, type TriedResource } from '../../harness/company-resources.ts';
import { making, ofAdministrators, type Row, type Rows } from './row.ts';

const ofManaged = [403, 403, 409, 403, 403, 403, 404] as const;

export function rowsOf({ path, given, hasVersions }: TriedResource): Rows {
  const one = `${path}/${managedId}`;
  const read = (what = ''): Row => ({
    call: (client) => client.get(one + what),
    answers: [200, 200, 200, 403, 403, 404, 404],
  });
  const ofVersions = {
    [`GET ${path}/{id}/versions`]: read('/versions'),
    [`GET ${path}/{id}/versions/{version}`]: read('/versions/1'),
  };
  return {
    [`GET ${path}`]: { call: (client) => client.get(path), answers: [200, 200, 200, 403, 403, 200, 200] },
    [`POST ${path}`]: { call: (client) => client.post(path, given), answers: making(ofAdministrators) },
    [`GET ${path}/{id}`]: read(),
    [`PATCH ${path}/{id}`]: { call: (client) => client.patch(one, given), answers: ofManaged },
    [`DELETE ${path}/{id}`]: { call: (client) => client.request('DELETE', one), answers: ofManaged },
    ...(hasVersions ? ofVersions : {}),
  };
}
