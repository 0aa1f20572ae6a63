/** Who may read messages and act on them. */
import { inAnHour } from '../../harness/messaging.ts';
import type { Rows } from './row.ts';

const ofMessage = [200, 404, 200, 403, 403, 404, 404] as const;

export const messageRows: Rows = {
  'GET /api/v1/messages': {
    call: async (client) => {
      const answer = await client.get('/api/v1/messages', { to: '46701740655' });
      // The answer repeats the number that the caller has given, which tells nothing about the messages.
      const repeated = ',"searched":{"as":"number","value":"46701740655"}';
      return { ...answer, text: answer.text.replace(repeated, '') };
    },
    answers: [200, 200, 200, 403, 403, 200, 200],
  },
  'GET /api/v1/messages.csv': {
    call: (client) => client.get('/api/v1/messages.csv'),
    answers: [200, 200, 200, 403, 403, 200, 200],
  },
  'GET /api/v1/messages/{id}': {
    call: async (client, message) => client.get(`/api/v1/messages/${await message()}`),
    answers: ofMessage,
  },
  'POST /api/v1/messages/{id}/cancel': {
    call: async (client, message) => client.post(`/api/v1/messages/${await message()}/cancel`),
    answers: ofMessage,
  },
  'POST /api/v1/messages/{id}/resend': {
    call: async (client, message) => client.post(`/api/v1/messages/${await message()}/resend`),
    answers: ofMessage,
  },
  'GET /api/v1/scheduled': {
    call: (client) => client.get('/api/v1/scheduled'),
    answers: [200, 200, 200, 403, 403, 200, 200],
  },
  'PATCH /api/v1/scheduled/{id}': {
    call: async (client, message) =>
      client.patch(`/api/v1/scheduled/${await message()}`, { scheduleTime: inAnHour() }),
    answers: ofMessage,
  },
  'GET /api/v1/find': {
    call: (client) => client.get('/api/v1/find', { q: 'a' }),
    answers: [200, 200, 200, 200, 200, 200, 200],
  },
  'GET /api/v1/start': {
    call: (client) => client.get('/api/v1/start'),
    answers: [200, 200, 200, 403, 403, 200, 200],
  },
  'GET /api/v1/usage': {
    call: (client) => client.get('/api/v1/usage', { by: 'username' }),
    answers: [200, 200, 200, 403, 403, 200, 200],
  },
  'GET /api/v1/usage/latest': {
    call: (client) => client.get('/api/v1/usage/latest'),
    answers: [200, 200, 200, 403, 403, 200, 200],
  },
  'GET /api/v1/usage.csv': {
    call: (client) => client.get('/api/v1/usage.csv', { by: 'username' }),
    answers: [200, 200, 200, 403, 403, 200, 200],
  },
  'GET /api/v1/quota': {
    call: (client) => client.get('/api/v1/quota'),
    answers: [200, 200, 200, 403, 403, 200, 200],
  },
};
