/** Who may see everything about a phone number, export it, and have it erased. */
import { ofAdministrators, type Rows } from './row.ts';

const ofWhoSees = [200, 200, 200, 403, 403, 200, 200] as const;
const path = '/api/v1/people/46701740655';

export const peopleRows: Rows = {
  'GET /api/v1/people/{number}': { call: (client) => client.get(path), answers: ofWhoSees },
  'GET /api/v1/people/{number}/sent': { call: (client) => client.get(`${path}/sent`), answers: ofWhoSees },
  'GET /api/v1/people/{number}/received': {
    call: (client) => client.get(`${path}/received`),
    answers: ofWhoSees,
  },
  'GET /api/v1/people/{number}/export': {
    call: (client) => client.get(`${path}/export`),
    answers: ofAdministrators,
  },
  // A provisioning file names the person in one company, and the other company doesn't know the person.
  'POST /api/v1/people/{number}/erase': {
    call: (client) => client.post(`${path}/erase`),
    answers: [403, 403, 409, 403, 403, 403, 200],
  },
};
