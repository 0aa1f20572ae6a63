import { generateKeyPairSync, sign } from 'node:crypto';
import { type Call, play } from '../../../../test/carriers/played-service.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const timestamp = '1796025600';
const request = 'POST https://api.telnyx.com/v2/messages';
const headers = { authorization: 'Bearer KEY0123' };
const webhook_url = 'https://sms.example/carriers/service/token/receipts';

function faults(code: string): object {
  return { errors: [{ code, title: '…', detail: '…' }] };
}

function call(kind: Call['kind'], data: object, tells: string, answer?: string): Call {
  const body = JSON.stringify({ data, meta: { attempt: 1 } });
  const signature = sign(null, Buffer.from(`${timestamp}|${body}`), privateKey).toString('base64');
  const signed = { 'telnyx-timestamp': timestamp, 'telnyx-signature-ed25519': signature };
  const sent = { 'content-type': 'application/json', ...signed };
  return { kind, body, headers: sent, tells: tells === '' ? [] : [tells], ...(answer && { answer }) };
}

function finalized(status: string, errors: readonly object[]): object {
  const to = [{ carrier: 'T-MOBILE USA, INC.', line_type: 'Wireless', phone_number: '+13125000000', status }];
  const payload = { id: '834f3d53-8a3c-4aa0-a733-7f2d682a72df', to, errors, direction: 'outbound' };
  return { event_type: 'message.finalized', id: '4ee8c3a6-4995-4309-a3c6-38e3db9ea4be', payload };
}

const received = {
  id: 'msg-uuid',
  from: { phone_number: '+15551234567', carrier: 'T-Mobile' },
  to: [{ phone_number: '+15559876543', status: 'webhook_delivered' }],
  text: 'Test message',
  type: 'SMS',
};

play('telnyx', {
  settings: {
    password: 'KEY0123',
    values: { messagingProfile: '4000eba1' },
    secrets: {
      publicKey: publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64'),
    },
  },
  now: Number(timestamp) * 1_000,
  requests: [
    {
      request,
      headers,
      body: {
        from: 'NordicCare',
        to: '+46701740699',
        text: 'Hej "{to}" & hå',
        type: 'SMS',
        messaging_profile_id: '4000eba1',
        webhook_url,
      },
    },
  ],
  answers: [
    [
      200,
      {
        data: {
          id: '40385f64-5717-4562-b3fc-2c963f66afa6',
          parts: 1,
          to: [{ status: 'queued' }],
          errors: [],
        },
      },
      'accepted 40385f64-5717-4562-b3fc-2c963f66afa6 1',
    ],
    [400, faults('40310'), 'rejected INVALIDDESTINATION'],
    [400, faults('40300'), 'rejected REJECTED'],
    [400, faults('40305'), 'passOn REJECTED'],
    [400, faults('40309'), 'passOn INVALIDDESTINATION'],
    [400, faults('40318'), 'retry'],
    [400, faults('40314'), 'down'],
    [401, faults('10009'), 'down'],
    [402, faults('20100'), 'down'],
    [422, faults('10004'), 'rejected REJECTED'],
    [429, faults('10011'), 'retry'],
    [500, faults('10007'), 'unclear'],
  ],
  calls: [
    call(
      'receipts',
      finalized('delivered', []),
      '834f3d53-8a3c-4aa0-a733-7f2d682a72df DELIVERED - 13125000000',
    ),
    call(
      'receipts',
      finalized('delivery_failed', [{ code: '40001', title: 'Not routable' }]),
      '834f3d53-8a3c-4aa0-a733-7f2d682a72df INVALIDDESTINATION 40001 13125000000',
    ),
    call(
      'incoming',
      { event_type: 'message.received', id: 'evt-uuid', payload: received },
      '+15551234567 +15559876543 Test message',
    ),
    {
      kind: 'incoming',
      body: { data: { event_type: 'message.received', payload: received } },
      tells: [],
      answer: 'forged',
    },
  ],
});
