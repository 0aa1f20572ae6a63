/** Who may see and start saved jobs: nobody has the role here, so there are no jobs; types are shown to administrators. */
import type { ApiClient } from '../../harness/api-client.ts';
import { ofAdministrators, type Row, type Rows } from './row.ts';

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
  'GET /api/v1/jobtypes': {
    call: (client) => client.get('/api/v1/jobtypes'),
    answers: ofAdministrators,
  },
};
