/** Who may see opt-outs, add and remove them, and decide about near misses. */
import { making, ofAdministrators, type Rows } from './row.ts';

const path = '/api/v1/optouts';
/** There is none with this id. */
const ofNobody = [403, 403, 404, 403, 403, 403, 404] as const;

export const optOutRows: Rows = {
  [`GET ${path}`]: { call: (client) => client.get(path), answers: ofAdministrators },
  [`POST ${path}`]: {
    call: (client) => client.post(path, { number: '46701740656', proof: 'By phone' }),
    answers: making(ofAdministrators),
  },
  [`GET ${path}.csv`]: { call: (client) => client.get(`${path}.csv`), answers: ofAdministrators },
  [`POST ${path}/import`]: {
    call: (client) => client.post(`${path}/import`, '46701740656'),
    answers: ofAdministrators,
  },
  [`GET ${path}/{id}`]: { call: (client) => client.get(`${path}/999`), answers: ofNobody },
  [`DELETE ${path}/{id}`]: {
    call: (client) => client.request('DELETE', `${path}/999?reason=asked`),
    answers: ofNobody,
  },
  [`GET ${path}/nearmisses`]: {
    call: (client) => client.get(`${path}/nearmisses`),
    answers: ofAdministrators,
  },
  [`POST ${path}/nearmisses/{id}/settle`]: {
    call: (client) => client.post(`${path}/nearmisses/999/settle`, { optsOut: true }),
    answers: ofNobody,
  },
};
