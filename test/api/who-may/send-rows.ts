/** Who may send through the management API, and who may do a dry run. */
import type { Rows } from './row.ts';

const json = { to: ['46701740699'], from: 'Own', message: 'Hello' };
const ofSenders = [200, 200, 200, 403, 403, 200, 200] as const;

export const sendRows: Rows = {
  'POST /api/v1/send': { call: (client) => client.post('/api/v1/send', json), answers: ofSenders },
  'POST /api/v1/send/preview': {
    call: (client) => client.post('/api/v1/send/preview', json),
    answers: ofSenders,
  },
};
