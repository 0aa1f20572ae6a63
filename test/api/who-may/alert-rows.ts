/** Who may post alerts, see what people were woken for, and set up receivers. */
import { making, ofAdministrators, type Rows } from './row.ts';

const unknown = [403, 403, 404, 403, 403, 403, 404] as const;
/** The receiver of the company sends SMS. */
const ofSenders = [200, 200, 200, 403, 403, 404, 404] as const;
const ofUsers = [200, 200, 200, 403, 403, 200, 200] as const;
const ofNone = [404, 404, 404, 403, 403, 404, 404] as const;
const given = { name: 'night', source: 'grafana', user: 'colleague', send: { numbers: ['46701740655'] } };

export const alertRows: Rows = {
  'POST /api/v1/alerts/{receiver}': {
    call: (client) => client.post('/api/v1/alerts/ops', { version: '4', status: 'firing', alerts: [] }),
    answers: ofSenders,
  },
  'GET /api/v1/incidents': { call: (client) => client.get('/api/v1/incidents'), answers: ofUsers },
  'GET /api/v1/incidents/{id}': { call: (client) => client.get('/api/v1/incidents/1'), answers: ofNone },
  'POST /api/v1/incidents/{id}/end': {
    call: (client) => client.post('/api/v1/incidents/1/end'),
    answers: ofNone,
  },
  'GET /api/v1/alertreceivers': {
    call: (client) => client.get('/api/v1/alertreceivers'),
    answers: ofAdministrators,
  },
  'POST /api/v1/alertreceivers': {
    call: (client) => client.post('/api/v1/alertreceivers', given),
    // The user who is to act is of another company.
    answers: making([403, 403, 200, 403, 403, 403, 404]),
  },
  'GET /api/v1/alertreceivers/{name}': {
    call: (client) => client.get('/api/v1/alertreceivers/ops'),
    answers: unknown.map((status, at) => (at === 2 ? 200 : status)),
  },
  'PATCH /api/v1/alertreceivers/{name}': {
    call: (client) => client.patch('/api/v1/alertreceivers/ops', { source: 'grafana' }),
    // The provisioning file sets it.
    answers: unknown.map((status, at) => (at === 2 ? 409 : status)),
  },
  'DELETE /api/v1/alertreceivers/{name}': {
    call: (client) => client.request('DELETE', '/api/v1/alertreceivers/ops'),
    answers: unknown.map((status, at) => (at === 2 ? 409 : status)),
  },
};
