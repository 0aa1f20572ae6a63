import { createHmac } from 'node:crypto';
import { type Call, key, play } from '../../../../test/carriers/played-service.ts';

const phone = { deviceId: 'ffffffffceb0b1db0000018e937c815b', webhookId: 'LreFUt-Z3sSq0JufY9uWB' };
const timestamp = '1771355400';

function call(kind: Call['kind'], event: string, payload: object, tells: string): Call {
  const body = JSON.stringify({ ...phone, event, id: 'Ey6ECgOkVVFjz3CL48B8C', payload });
  const signature = createHmac('sha256', 'secret-key')
    .update(body + timestamp)
    .digest('hex');
  const signed = { 'x-signature': signature, 'x-timestamp': timestamp };
  return { kind, body, headers: { 'content-type': 'application/json', ...signed }, tells: [tells] };
}

play('smsgate', {
  settings: { username: 'user', password: 'pw', secrets: { signingKey: 'secret-key' } },
  now: Number(timestamp) * 1_000,
  requests: [
    {
      request: 'POST https://api.sms-gate.app/3rdparty/v1/messages',
      headers: { authorization: 'Basic dXNlcjpwdw==' },
      body: {
        id: key,
        textMessage: { text: 'Hej "{to}" & hå' },
        phoneNumbers: ['+46701740699'],
        ttl: 600,
        withDeliveryReport: true,
      },
    },
  ],
  answers: [
    [202, { id: key, deviceId: 'PyDmBQZZXYmyxMwED8Fzy', state: 'Pending', recipients: [] }, 'accepted key'],
    [409, { message: 'message with the same ID already exists' }, 'accepted key'],
    [400, { message: 'not mobile phone number' }, 'rejected INVALIDDESTINATION'],
    [400, { message: 'Invalid device ID' }, 'retry'],
    [400, { message: 'Text message is empty' }, 'rejected REJECTED'],
    [401, '', 'down'],
    [500, { message: '…' }, 'unclear'],
    [503, { message: 'failed to enqueue message: queue limits exceeded' }, 'retry'],
  ],
  calls: [
    {
      kind: 'receipts',
      body: '{"deviceId":"ffffffffceb0b1db0000018e937c815b","event":"sms:delivered","id":"Ey6ECgOkVVFjz3CL48B8C","payload":{"messageId":"msg-789","sender":"+1234567890","recipient":"+9998887777","simNumber":1,"deliveredAt":"2026-02-18T02:10:00.000+07:00"},"webhookId":"LreFUt-Z3sSq0JufY9uWB"}',
      headers: {
        'content-type': 'application/json',
        'x-signature': 'ad8d7eeac6795ea1c23a4649ac792c869aabd61df28ee12138c7a94776d73700',
        'x-timestamp': timestamp,
      },
      tells: ['msg-789 DELIVERED - 9998887777'],
    },
    call(
      'receipts',
      'sms:failed',
      { messageId: 'msg-000', recipient: '+4445556666', reason: 'Network error' },
      'msg-000 UNDELIVERABLE Network error 4445556666',
    ),
    call(
      'incoming',
      'sms:received',
      { messageId: 'abc123', message: 'Sweet!', sender: '6505551212', recipient: '+1234567890' },
      '6505551212 +1234567890 Sweet!',
    ),
    { kind: 'incoming', body: { event: 'sms:received' }, tells: [], answer: 'forged' },
  ],
  poll: {
    request: `GET https://api.sms-gate.app/3rdparty/v1/messages/${key}`,
    answers: [
      [
        { id: key, state: 'Pending', recipients: [{ phoneNumber: '+46701740699', state: 'Pending' }] },
        'SENT -',
      ],
      [{ id: key, state: 'Delivered', recipients: [{ state: 'Delivered' }] }, 'DELIVERED -'],
      [
        {
          id: key,
          state: 'Failed',
          recipients: [{ state: 'Failed', error: 'RESULT_ERROR_GENERIC_FAILURE' }],
        },
        'ERROR RESULT_ERROR_GENERIC_FAILURE',
      ],
    ],
  },
});
