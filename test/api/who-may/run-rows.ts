/** Who may see and control runs of saved jobs: only administrators have the role here, and there is no run. */
import type { ApiClient } from '../../harness/api-client.ts';
import type { Rows } from './row.ts';

const ofRuns = [403, 403, 200, 403, 403, 403, 200] as const;
const ofNone = [403, 403, 404, 403, 403, 403, 404] as const;
const act = (kind: string, body: object = {}) => ({
  call: (client: ApiClient) => client.post(`/api/v1/runs/1/${kind}`, body),
  answers: ofNone,
});

export const runRows: Rows = {
  'GET /api/v1/runs': { call: (client) => client.get('/api/v1/runs'), answers: ofRuns },
  'GET /api/v1/runs/{id}': { call: (client) => client.get('/api/v1/runs/1'), answers: ofNone },
  'GET /api/v1/runs/{id}/people': { call: (client) => client.get('/api/v1/runs/1/people'), answers: ofNone },
  'GET /api/v1/runs/{id}/timeline': {
    call: (client) => client.get('/api/v1/runs/1/timeline'),
    answers: ofNone,
  },
  'GET /api/v1/runs/{id}/record': { call: (client) => client.get('/api/v1/runs/1/record'), answers: ofNone },
  'GET /api/v1/runs/{id}/record.csv': {
    call: (client) => client.get('/api/v1/runs/1/record.csv'),
    answers: ofNone,
  },
  'GET /api/v1/runs/{id}/record.html': {
    call: (client) => client.get('/api/v1/runs/1/record.html'),
    answers: ofNone,
  },
  'POST /api/v1/runs/{id}/escalate': act('escalate'),
  'POST /api/v1/runs/{id}/extend': act('extend', { minutes: 5 }),
  'POST /api/v1/runs/{id}/tell': act('tell', { message: 'Hi' }),
  'POST /api/v1/runs/{id}/accept': act('accept', { phone: '46701740655' }),
  'POST /api/v1/runs/{id}/decline': act('decline', { phone: '46701740655' }),
  'POST /api/v1/runs/{id}/cancel': act('cancel'),
};
