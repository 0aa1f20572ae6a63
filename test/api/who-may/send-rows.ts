/** Who may send through the management API, do a dry run, and see and change what was sent to several people. */
import { inAnHour } from '../../harness/messaging.ts';
import type { Rows } from './row.ts';

const json = { to: ['46701740699'], from: 'Own', message: 'Hello' };
const ofSenders = [200, 200, 200, 403, 403, 200, 200] as const;

/** The message of a table's row belongs to a sending of two. */
const ofSending = [200, 404, 200, 403, 403, 404, 404] as const;

export const sendRows: Rows = {
  'POST /api/v1/send': { call: (client) => client.post('/api/v1/send', json), answers: ofSenders },
  'POST /api/v1/send/preview': {
    call: (client) => client.post('/api/v1/send/preview', json),
    answers: ofSenders,
  },
  'GET /api/v1/sendings': {
    call: (client) => client.get('/api/v1/sendings'),
    answers: [200, 200, 200, 403, 403, 200, 200],
  },
  'GET /api/v1/sendings/{id}': {
    call: async (client, message) => client.get(`/api/v1/sendings/${await message()}`),
    answers: ofSending,
  },
  'GET /api/v1/sendings/{id}/people': {
    call: async (client, message) => client.get(`/api/v1/sendings/${await message()}/people`),
    answers: ofSending,
  },
  'POST /api/v1/sendings/{id}/cancel': {
    call: async (client, message) => client.post(`/api/v1/sendings/${await message()}/cancel`),
    answers: ofSending,
  },
  'POST /api/v1/sendings/{id}/reschedule': {
    call: async (client, message) =>
      client.post(`/api/v1/sendings/${await message()}/reschedule`, { scheduleTime: inAnHour() }),
    answers: ofSending,
  },
};
