import { createHmac } from 'node:crypto';
import { type Call, key, play } from '../../../../test/carriers/played-service.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const timestamp = '1796025600';

/** As Standard Webhooks are signed. */
function call(event: object, tells: string): Call {
  const body = JSON.stringify(event);
  const signature = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(`msg_1.${timestamp}.${body}`)
    .digest('base64');
  const signed = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
  return {
    kind: 'receipts',
    body,
    headers: { 'content-type': 'application/json', ...signed },
    tells: [tells],
  };
}

function fault(type: string, code: string, param?: string): object {
  return { error: { type, code, name: '…', message: '…', request_id: 'req_1', param } };
}

const data = { sms_id: 'sms_1', workspace_id: 'ws_1', from: 'NordicCare', to: '+46701740699' };

play('bird', {
  settings: { password: 'bk_eu1_key', secrets: { webhookSecret: secret } },
  now: Number(timestamp) * 1_000,
  requests: [
    {
      request: 'POST https://eu1.platform.bird.com/v1/sms/messages',
      headers: { authorization: 'Bearer bk_eu1_key', 'idempotency-key': key },
      body: {
        from: 'NordicCare',
        to: '+46701740699',
        text: 'Hej "{to}" & hå',
        category: 'transactional',
        metadata: { reference: key },
      },
    },
  ],
  answers: [
    [
      202,
      { id: 'sms_1', status: 'accepted', segments: { count: 1, encoding: 'GSM_7BIT', characters: 15 } },
      'accepted sms_1 1',
    ],
    [
      200,
      { id: 'sms_1', status: 'rejected', last_error: { code: 'invalid_destination' } },
      'rejected UNDELIVERABLE',
    ],
    [401, fault('auth_error', 'E02001'), 'down'],
    [402, fault('billing_error', 'E03001'), 'down'],
    [409, fault('conflict_error', 'E01004'), 'retry'],
    [421, fault('misdirected_error', 'E01021'), 'down'],
    [422, fault('validation_error', 'E12001', 'to'), 'rejected INVALIDDESTINATION'],
    [422, fault('validation_error', 'E12002', 'from'), 'passOn REJECTED'],
    [422, fault('validation_error', 'E12003', 'category'), 'rejected REJECTED'],
    [429, fault('rate_limit_error', 'E04001'), 'retry'],
    [500, fault('server_error', 'E05001'), 'unclear'],
    [503, fault('server_error', 'E01033'), 'retry'],
  ],
  calls: [
    call({ type: 'sms.delivered', data }, 'sms_1 DELIVERED - 46701740699'),
    call(
      { type: 'sms.undelivered', data: { ...data, error: { code: 'unreachable', description: '…' } } },
      'sms_1 ABSENTSUBSCRIBER unreachable 46701740699',
    ),
    { kind: 'receipts', body: { type: 'sms.delivered', data }, tells: [], answer: 'forged' },
  ],
});
