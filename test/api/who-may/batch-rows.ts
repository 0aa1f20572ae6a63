/** Who may see batches, act on them, and send them. */
import { inAnHour } from '../../harness/messaging.ts';
import { making, type Row, type Rows } from './row.ts';

/** The first batch in the store; it waits for its time. */
export const ownersBatch = () => ({
  name: 'secret text',
  message: 'secret text',
  scheduletime: inAnHour(),
  batch: [{ t: '46701740655' }],
});
const path = '/api/v1/batches/100001';

const ofWhoSees = [200, 404, 200, 403, 403, 404, 404];
const ofSenders = [200, 200, 200, 403, 403, 200, 200];

const act = (name: string, answers = ofWhoSees): Row => ({
  call: (client) => client.post(`${path}/${name}`, {}),
  answers,
});

const sent = () => ({ message: 'Hello', scheduletime: inAnHour(), batch: [{ t: '46701740699' }] });

export const batchRows: Rows = {
  'GET /api/v1/batches': { call: (client) => client.get('/api/v1/batches'), answers: ofSenders },
  'GET /api/v1/batches/{id}': { call: (client) => client.get(path), answers: ofWhoSees },
  'GET /api/v1/batches/{id}/failed': { call: (client) => client.get(`${path}/failed`), answers: ofWhoSees },
  'GET /api/v1/batches/{id}/failed/csv': {
    call: (client) => client.get(`${path}/failed/csv`),
    answers: ofWhoSees,
  },
  'POST /api/v1/batches/{id}/pause': act('pause'),
  'POST /api/v1/batches/{id}/resume': act('resume'),
  'POST /api/v1/batches/{id}/abort': act('abort'),
  // No message of the batch has failed.
  'POST /api/v1/batches/{id}/resend-failed': act('resend-failed', [400, 404, 400, 403, 403, 404, 404]),
  'POST /api/v1/batches/preview': {
    call: (client) => client.post('/api/v1/batches/preview', sent()),
    answers: ofSenders,
  },
  'POST /api/v1/batches': {
    call: (client) => client.post('/api/v1/batches', sent()),
    answers: making(ofSenders),
  },
};
