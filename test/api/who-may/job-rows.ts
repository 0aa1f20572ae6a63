/** Who may see and start saved jobs: nobody has the role here, so there are no jobs; types are shown to administrators. */
import type { ApiClient } from '../../harness/api-client.ts';
import { making, ofAdministrators, type Row, type Rows } from './row.ts';

/** There is no such type, so administrators get as far as the check of it. */
const faulty = [403, 403, 400, 403, 403, 403, 400] as const;
const unknown = [403, 403, 404, 403, 403, 403, 404] as const;
const draft = { name: 'Night', type: 'Call', owner: 'night-jobs', message: 'Come?' };

const ofNobody = [403, 403, 403, 403, 403, 403, 403] as const;
const refused = (call: (client: ApiClient) => ReturnType<ApiClient['get']>): Row => ({
  call,
  answers: ofNobody,
});

export const jobRows: Rows = {
  'GET /api/v1/jobs': refused((client) => client.get('/api/v1/jobs')),
  'GET /api/v1/jobs/{id}': refused((client) => client.get('/api/v1/jobs/71')),
  'POST /api/v1/jobs/{id}/rehearse': refused((client) => client.post('/api/v1/jobs/71/rehearse')),
  'POST /api/v1/jobs/{id}/start': refused((client) => client.post('/api/v1/jobs/71/start')),
  'GET /api/v1/savedjobs': {
    call: (client) => client.get('/api/v1/savedjobs'),
    answers: ofAdministrators,
  },
  'GET /api/v1/systemusers': {
    call: (client) => client.get('/api/v1/systemusers'),
    answers: ofAdministrators,
  },
  'POST /api/v1/savedjobs': {
    call: (client) => client.post('/api/v1/savedjobs', draft),
    answers: faulty,
  },
  'POST /api/v1/savedjobs/rehearse': {
    call: (client) =>
      client.post('/api/v1/savedjobs/rehearse', { type: 'MonitoredMessage', message: 'Come?' }),
    answers: ofAdministrators,
  },
  'GET /api/v1/savedjobs/{id}': {
    call: (client) => client.get('/api/v1/savedjobs/71'),
    answers: unknown,
  },
  'PATCH /api/v1/savedjobs/{id}': {
    call: (client) => client.patch('/api/v1/savedjobs/71', { message: 'Come?' }),
    answers: unknown,
  },
  'DELETE /api/v1/savedjobs/{id}': {
    call: (client) => client.request('DELETE', '/api/v1/savedjobs/71'),
    answers: unknown,
  },
  'GET /api/v1/jobtypes': {
    call: (client) => client.get('/api/v1/jobtypes'),
    answers: ofAdministrators,
  },
  'POST /api/v1/jobtypes': {
    call: (client) => client.post('/api/v1/jobtypes', { name: 'Call', generic: 'GMM' }),
    answers: making(ofAdministrators),
  },
  'GET /api/v1/jobtypes/{name}': {
    call: (client) => client.get('/api/v1/jobtypes/Call'),
    answers: ofAdministrators,
  },
  'PATCH /api/v1/jobtypes/{name}': {
    call: (client) => client.patch('/api/v1/jobtypes/Call', { reserve: 1 }),
    answers: ofAdministrators,
  },
  'DELETE /api/v1/jobtypes/{name}': {
    call: (client) => client.request('DELETE', '/api/v1/jobtypes/Call'),
    answers: ofAdministrators,
  },
  'POST /api/v1/systemusers': {
    call: (client) => client.post('/api/v1/systemusers', { name: 'jobs', callback: { type: 'POST' } }),
    answers: faulty,
  },
  'GET /api/v1/systemusers/{name}': {
    call: (client) => client.get('/api/v1/systemusers/night-jobs'),
    answers: unknown,
  },
  'PATCH /api/v1/systemusers/{name}': {
    call: (client) => client.patch('/api/v1/systemusers/night-jobs', { callback: { type: 'NONE' } }),
    answers: unknown,
  },
  'DELETE /api/v1/systemusers/{name}': {
    call: (client) => client.request('DELETE', '/api/v1/systemusers/night-jobs'),
    answers: unknown,
  },
};
