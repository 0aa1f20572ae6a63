import { createHmac } from 'node:crypto';
import { key, play } from '../../../../test/carriers/played-service.ts';

const id = '32343a19-da5e-4b1b-a767-3298a73703cb';
const request = 'POST https://api.httpsms.com/v1/messages/send';
const headers = { 'x-api-key': 'key' };

function event(type: string, data: object): object {
  const envelope = { specversion: '1.0', id: '0d1c1f2e', source: `/v1/messages/${id}/events`, type };
  const all = { request_id: '153554b5', owner: '+18005550199', contact: '+18005550100', encrypted: false };
  return { ...envelope, datacontenttype: 'application/json', data: { ...all, content: 'Hi', ...data } };
}

function faults(data: object): object {
  return { status: 'error', message: 'validation errors while sending message', data };
}

const settings = { username: '18005550199', password: 'key' };
const delivered = event('message.phone.delivered', { id, sim: 'SIM1' });

play('httpsms', {
  settings,
  requests: [
    {
      request,
      headers,
      body: { from: '+18005550199', to: '+46701740699', content: 'Hej "{to}" & hå', request_id: key },
    },
    {
      sms: { sender: '18005550177', text: 'Hi' },
      request,
      headers,
      body: { from: '+18005550177', to: '+46701740699', content: 'Hi', request_id: key },
    },
  ],
  answers: [
    [
      200,
      { status: 'success', message: 'message added to queue', data: { id, status: 'pending' } },
      'accepted key',
    ],
    [401, { status: 'error', message: 'You are not authorized to carry out this request.' }, 'down'],
    [402, { status: 'error', message: 'You have exceeded your limit of [200] messages' }, 'down'],
    [422, faults({ to: ['The to field must be a valid E.164 phone number'] }), 'rejected INVALIDDESTINATION'],
    [422, faults({ from: ["no phone found with with 'from' number [+1]"] }), 'passOn REJECTED'],
    [422, faults({ from: ["could not validate 'from' number [+1], please try again later"] }), 'retry'],
    [422, faults({ content: ['…'] }), 'rejected REJECTED'],
    [500, { status: 'error', message: 'We ran into an internal error' }, 'unclear'],
  ],
  calls: [
    { kind: 'receipts', body: delivered, tells: ['153554b5 DELIVERED - 18005550100'] },
    {
      kind: 'receipts',
      body: event('message.send.failed', { id, error_message: 'GENERIC_FAILURE' }),
      tells: ['153554b5 UNDELIVERABLE GENERIC_FAILURE 18005550100'],
    },
    {
      kind: 'receipts',
      body: event('message.send.expired', { message_id: id, is_final: false }),
      tells: ['153554b5 SENT - 18005550100'],
    },
    {
      kind: 'receipts',
      // What the text of an SMS says does not count.
      body: event('message.send.expired', { content: '"is_final":false', message_id: id, is_final: true }),
      tells: ['153554b5 EXPIRED - 18005550100'],
    },
    {
      kind: 'incoming',
      body: event('message.phone.received', { message_id: '0681b838', content: 'Hello' }),
      tells: ['+18005550100 +18005550199 Hello'],
    },
  ],
});

function token(claims: object): string {
  const [head, body] = [{ alg: 'HS256', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signature = createHmac('sha256', 'signing').update(`${head}.${body}`).digest('base64url');
  return `Bearer ${head}.${body}.${signature}`;
}

const now = 1_796_025_600;
const claims = { exp: now + 600, nbf: now - 600, iat: now, iss: 'api.httpsms.com', sub: 'user' };

play('httpsms', {
  settings: { ...settings, secrets: { signingKey: 'signing' } },
  now: now * 1_000,
  calls: [
    {
      kind: 'receipts',
      body: delivered,
      headers: {
        authorization: token({ ...claims, aud: ['https://sms.example/carriers/service/token/receipts'] }),
      },
      tells: ['153554b5 DELIVERED - 18005550100'],
    },
    {
      kind: 'receipts',
      body: delivered,
      headers: { authorization: token({ ...claims, aud: ['https://elsewhere.example'] }) },
      tells: [],
      answer: 'forged',
    },
  ],
});
