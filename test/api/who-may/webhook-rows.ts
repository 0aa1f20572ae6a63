/**
 * Who may see webhooks, set them up, and act on them: an administrator all webhooks of the company, any other user only their
 * own.
 */
import type { ApiClient } from '../../harness/api-client.ts';
import type { Row, Rows } from './row.ts';

/** The company's webhook, from a provisioning file. */
const path = '/api/v1/webhooks/1';
const ofUsers = [200, 200, 200, 403, 403, 200, 200] as const;
const ofTheCompany = [404, 404, 200, 403, 403, 404, 404] as const;
/** The provisioning file sets every field of the webhook. */
const ofTheFile = [404, 404, 409, 403, 403, 404, 404] as const;
/** Nothing has been posted to the webhook yet. */
const ofNone = [404, 404, 404, 403, 403, 404, 404] as const;

const act = (name: string, answers: readonly number[] = ofTheCompany, body: object = {}): Row => ({
  call: (client) => client.post(`${path}/${name}`, body),
  answers,
});

const made = (client: ApiClient) =>
  client.post('/api/v1/webhooks', {
    name: 'own',
    url: 'https://1.1.1.1/',
    events: ['batch.status'],
    active: false,
  });

export const webhookRows: Rows = {
  'GET /api/v1/webhooks': { call: (client) => client.get('/api/v1/webhooks'), answers: ofUsers },
  // A second webhook with that name in a company is refused.
  'POST /api/v1/webhooks': { call: made, answers: [201, 409, 409, 403, 403, 201, 409] },
  'GET /api/v1/webhooks/{id}': { call: (client) => client.get(path), answers: ofTheCompany },
  'PATCH /api/v1/webhooks/{id}': {
    call: (client) => client.patch(path, { url: 'https://1.1.1.1/' }),
    answers: ofTheFile,
  },
  'POST /api/v1/webhooks/{id}/rotate': act('rotate'),
  'POST /api/v1/webhooks/{id}/finish-rotation': act('finish-rotation'),
  'POST /api/v1/webhooks/callback-secret/rotate': {
    call: (client) => client.post('/api/v1/webhooks/callback-secret/rotate'),
    answers: ofUsers,
  },
  'POST /api/v1/webhooks/callback-secret/finish-rotation': {
    call: (client) => client.post('/api/v1/webhooks/callback-secret/finish-rotation'),
    answers: ofUsers,
  },
  'POST /api/v1/webhooks/{id}/disable': act('disable'),
  'POST /api/v1/webhooks/{id}/enable': act('enable'),
  'POST /api/v1/webhooks/{id}/test': act('test'),
  'GET /api/v1/webhooks/{id}/attempts': {
    call: (client) => client.get(`${path}/attempts`),
    answers: ofTheCompany,
  },
  'GET /api/v1/webhooks/{id}/attempts/{number}': {
    call: (client) => client.get(`${path}/attempts/999999`),
    answers: ofNone,
  },
  'POST /api/v1/webhooks/{id}/replay': act('replay', ofTheCompany, {
    from: '2020-01-01T00:00Z',
    to: '2020-01-02T00:00Z',
  }),
  'POST /api/v1/webhooks/{id}/attempts/{number}/replay': act('attempts/999999/replay', ofNone),
  'DELETE /api/v1/webhooks/{id}': { call: (client) => client.request('DELETE', path), answers: ofTheFile },
};
