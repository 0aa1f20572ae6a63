/** Who may manage the users of a company. A provisioning file has created them all; the first of them is the owner. */
import type { Answer, ApiClient } from '../../harness/api-client.ts';
import { making, ofAdministrators, type Rows } from './row.ts';

const path = '/api/v1/users';
/** For a user of another company than the rival's. */
const ofOne = [403, 403, 200, 403, 403, 403, 404] as const;
const ofManaged = [403, 403, 409, 403, 403, 403, 404] as const;
/** Ids are assigned in the order of names: administrator, colleague … */
const colleague = '10002';
let made = 0;

const act =
  (verb: string) =>
  (client: ApiClient): Promise<Answer> =>
    client.post(`${path}/${colleague}/${verb}`);

export const userRows: Rows = {
  'GET /api/v1/company': { call: (client) => client.get('/api/v1/company'), answers: ofAdministrators },
  'PATCH /api/v1/company': {
    call: (client) => client.patch('/api/v1/company', { countryCode: '46' }),
    answers: ofAdministrators,
  },
  'GET /api/v1/company/costcenters': {
    call: (client) => client.get('/api/v1/company/costcenters'),
    answers: [200, 200, 200, 200, 200, 200, 200],
  },
  'GET /api/v1/company/apikeys': {
    call: (client) => client.get('/api/v1/company/apikeys'),
    answers: ofAdministrators,
  },
  [`GET ${path}`]: { call: (client) => client.get(path), answers: ofAdministrators },
  [`POST ${path}`]: {
    call: (client) => {
      made += 1;
      return client.post(path, { name: `one more ${made}`, roles: ['send'] });
    },
    answers: making(ofAdministrators),
  },
  [`GET ${path}/{id}`]: { call: (client) => client.get(`${path}/${colleague}`), answers: ofOne },
  [`PATCH ${path}/{id}`]: {
    call: (client) => client.patch(`${path}/${colleague}`, { roles: ['send'] }),
    answers: ofManaged,
  },
  [`POST ${path}/{id}/activate`]: { call: act('activate'), answers: ofOne },
  [`POST ${path}/{id}/deactivate`]: {
    // Tried on a user that does not exist, because the colleague still has calls to make.
    call: (client) => client.post(`${path}/999/deactivate`),
    answers: [403, 403, 404, 403, 403, 403, 404],
  },
  [`POST ${path}/{id}/link`]: { call: act('link'), answers: ofOne },
  [`GET ${path}/{id}/apikeys`]: {
    call: (client) => client.get(`${path}/${colleague}/apikeys`),
    answers: ofOne,
  },
  [`POST ${path}/{id}/apikeys/{key}/revoke`]: {
    call: (client) => client.post(`${path}/${colleague}/apikeys/999/revoke`),
    answers: [403, 403, 404, 403, 403, 403, 404],
  },
  [`PATCH ${path}/{id}/apikeys/{key}`]: {
    call: (client) => client.patch(`${path}/${colleague}/apikeys/999`, { expires: '' }),
    answers: [403, 403, 404, 403, 403, 403, 404],
  },
  [`GET ${path}/{id}/sessions`]: {
    call: (client) => client.get(`${path}/${colleague}/sessions`),
    answers: ofOne,
  },
  [`DELETE ${path}/{id}/identities`]: {
    call: (client) => client.request('DELETE', `${path}/${colleague}/identities`),
    answers: ofOne,
  },
  [`DELETE ${path}/{id}/sessions`]: {
    call: (client) => client.request('DELETE', `${path}/${colleague}/sessions`),
    answers: ofOne,
  },
  [`DELETE ${path}/{id}/factors`]: {
    call: (client) => client.request('DELETE', `${path}/${colleague}/factors`),
    answers: ofOne,
  },
  // The colleague has no login.
  [`POST ${path}/{id}/smpp/password`]: {
    call: act('smpp/password'),
    answers: [403, 403, 404, 403, 403, 403, 404],
  },
  [`DELETE ${path}/{id}`]: {
    call: (client) => client.request('DELETE', `${path}/${colleague}`),
    answers: ofManaged,
  },
};
