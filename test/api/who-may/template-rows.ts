/** Who may read the saved texts of a company, and who may change them. Number 7 is managed by the provisioning file. */
import { making, ofAdministrators, type Rows } from './row.ts';

const path = '/api/v1/templates';
const ofCompany = [200, 200, 200, 403, 403, 404, 404] as const;
const ofManaged = [403, 403, 409, 403, 403, 403, 404] as const;

export const templateRows: Rows = {
  [`GET ${path}`]: { call: (client) => client.get(path), answers: [200, 200, 200, 403, 403, 200, 200] },
  [`POST ${path}`]: {
    call: (client) => client.post(path, { name: 'Taxi', text: 'Your taxi' }),
    answers: making(ofAdministrators),
  },
  [`GET ${path}/{id}/versions`]: { call: (client) => client.get(`${path}/7/versions`), answers: ofCompany },
  [`GET ${path}/{id}/versions/{version}`]: {
    call: (client) => client.get(`${path}/7/versions/1`),
    answers: ofCompany,
  },
  [`GET ${path}/{id}`]: { call: (client) => client.get(`${path}/7`), answers: ofCompany },
  [`PATCH ${path}/{id}`]: {
    call: (client) => client.patch(`${path}/7`, { name: 'Other' }),
    answers: ofManaged,
  },
  [`DELETE ${path}/{id}`]: { call: (client) => client.request('DELETE', `${path}/7`), answers: ofManaged },
};
