/** Who may read what administrators manage. */
import { making, ofAdministrators, type Rows } from './row.ts';

const ofAll = [200, 200, 200, 200, 200, 200, 200] as const;
const ofNobody = [404, 404, 404, 404, 404, 404, 404] as const;

export const administrationRows: Rows = {
  'GET /api/v1/events': {
    call: (client) => client.get('/api/v1/events', { webhook: 'desk' }),
    answers: [403, 403, 200, 403, 403, 403, 404],
  },
  'POST /api/v1/events': {
    call: (client) => client.post('/api/v1/events', { webhook: 'desk' }),
    answers: [403, 403, 200, 403, 403, 403, 404],
  },
  'GET /api/v1/carriers': {
    call: (client) => client.get('/api/v1/carriers'),
    answers: ofAdministrators,
  },
  'GET /api/v1/audit': { call: (client) => client.get('/api/v1/audit'), answers: ofAdministrators },
  'GET /api/v1/audit.csv': {
    call: (client) => client.get('/api/v1/audit.csv'),
    answers: ofAdministrators,
  },
  'GET /api/v1/apikeys': { call: (client) => client.get('/api/v1/apikeys'), answers: ofAll },
  'POST /api/v1/apikeys': {
    call: (client) => client.post('/api/v1/apikeys', { name: 'own' }),
    answers: making(ofAll),
  },
  // A key of another user.
  'GET /api/v1/apikeys/{id}': {
    call: (client) => client.get('/api/v1/apikeys/999'),
    answers: ofNobody,
  },
  'PATCH /api/v1/apikeys/{id}': {
    call: (client) => client.patch('/api/v1/apikeys/999', { expires: '' }),
    answers: ofNobody,
  },
  'POST /api/v1/apikeys/{id}/revoke': {
    call: (client) => client.post('/api/v1/apikeys/999/revoke'),
    answers: ofNobody,
  },
};
