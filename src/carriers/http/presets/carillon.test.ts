import { key, play } from '../../../../test/carriers/played-service.ts';

function event(type: string, data: object): object {
  return { type, timestamp: '2026-11-23T07:00:00.000Z', seq: 42, data };
}

const unqueued = (code: string) => ({
  result: 'ERROR',
  code: 'nothing_queued',
  errors: [{ field: 'to', code }],
});

play('carillon', {
  settings: { baseUrl: 'https://other.example', password: 'demo.1.2.abc' },
  requests: [
    {
      request: 'POST https://other.example/restsms/svcrest/send/single',
      headers: { 'x-api-key': 'demo.1.2.abc', 'idempotency-key': key },
      body: { to: '46701740699', from: 'NordicCare', message: 'Hej "{to}" & hå', flash: false },
    },
  ],
  answers: [
    [200, { to: '46701740699', id: '1000000008', parts: '1' }, 'accepted 1000000008 1'],
    [400, unqueued('invalid_number'), 'rejected INVALIDDESTINATION'],
    [400, unqueued('no_route'), 'passOn INVALIDDESTINATION'],
    [400, unqueued('opted_out'), 'rejected REJECTED'],
    [400, { result: 'ERROR', code: 'sender_not_allowed' }, 'passOn REJECTED'],
    [400, { result: 'ERROR', code: 'quota_exceeded' }, 'down'],
    [401, { result: 'ERROR', code: 'unauthorised' }, 'down'],
    [429, { result: 'ERROR', code: 'rate_exceeded' }, 'retry'],
    [500, { result: 'ERROR', code: 'internal' }, 'unclear'],
    [503, { result: 'ERROR', code: 'busy' }, 'retry'],
  ],
  calls: [
    // The event by which a webhook is tried there.
    { kind: 'receipts', body: event('webhook.test', {}), tells: [] },
    {
      kind: 'receipts',
      body: event('message.status', {
        id: '1000000001',
        status: 'DELIVERED',
        statuscode: '2',
        to: '46701740699',
        from: 'Carillon',
        conversation: '',
        costcenter: '',
        time: '1795417200000',
      }),
      tells: ['1000000001 DELIVERED - 46701740699'],
    },
    {
      kind: 'receipts',
      body: event('message.status', { id: '1000000001', status: 'ABSENTSUBSCRIBER', to: '46701740699' }),
      tells: ['1000000001 ABSENTSUBSCRIBER - 46701740699'],
    },
    {
      kind: 'incoming',
      body: event('message.incoming', {
        id: '1000000001',
        from: '46701740699',
        to: '46731230001',
        message: 'Hej',
      }),
      tells: ['46701740699 46731230001 Hej'],
    },
  ],
});
