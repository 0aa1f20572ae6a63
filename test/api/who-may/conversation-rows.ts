/** Who may see conversations, numbers and simulated phones, and act on them. */
import type { ApiClient } from '../../harness/api-client.ts';
import { ofAdministrators, type Row, type Rows } from './row.ts';

/** The first conversation belongs to the owner. */
const ofConversation = [200, 404, 200, 403, 403, 404, 404] as const;
const ofUsers = [200, 200, 200, 403, 403, 200, 200] as const;

const act = (name: string, body: object = {}): Row => ({
  call: (client: ApiClient) => client.post(`/api/v1/conversations/1/${name}`, body),
  answers: ofConversation,
});

export const conversationRows: Rows = {
  'GET /api/v1/conversations': { call: (client) => client.get('/api/v1/conversations'), answers: ofUsers },
  'GET /api/v1/conversations/{id}': {
    call: (client) => client.get('/api/v1/conversations/1'),
    answers: ofConversation,
  },
  'POST /api/v1/conversations/{id}/read': act('read'),
  'POST /api/v1/conversations/{id}/archive': act('archive'),
  'POST /api/v1/conversations/{id}/unarchive': act('unarchive'),
  'GET /api/v1/conversations/{id}/colleagues': {
    call: (client) => client.get('/api/v1/conversations/1/colleagues'),
    answers: ofConversation,
  },
  'POST /api/v1/conversations/{id}/assign': act('assign', { user: 'owner' }),
  'POST /api/v1/conversations/{id}/reply': act('reply', { message: 'Thank you' }),
  'GET /api/v1/numbers': { call: (client) => client.get('/api/v1/numbers'), answers: ofAdministrators },
  'PATCH /api/v1/numbers/{number}': {
    call: (client) => client.patch('/api/v1/numbers/46731230001', { user: 'owner' }),
    // The provisioning file says who rents it.
    answers: [403, 403, 409, 403, 403, 403, 404],
  },
  'GET /api/v1/unrouted': { call: (client) => client.get('/api/v1/unrouted'), answers: ofAdministrators },
  'POST /api/v1/unrouted/{id}/assign': {
    call: (client) => client.post('/api/v1/unrouted/1/assign', { user: 'owner' }),
    answers: [403, 403, 404, 403, 403, 403, 404],
  },
  'GET /api/v1/simulator/phones': {
    call: (client) => client.get('/api/v1/simulator/phones'),
    answers: ofUsers,
  },
  'GET /api/v1/simulator/phones/{number}': {
    call: (client) => client.get('/api/v1/simulator/phones/46701740655'),
    answers: ofUsers,
  },
  'POST /api/v1/simulator/phones/{number}/answer': {
    call: (client) =>
      client.post('/api/v1/simulator/phones/46701740655/answer', { text: 'secret text', to: '46731230001' }),
    answers: ofConversation,
  },
};
