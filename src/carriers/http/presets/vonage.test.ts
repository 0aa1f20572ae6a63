import { form, key, play } from '../../../../test/carriers/played-service.ts';

const body = {
  api_key: 'abcd1234',
  api_secret: 'abcdef0123456789',
  from: 'NordicCare',
  to: '46701740699',
  text: 'Hej "{to}" & hå',
  type: 'text',
  'client-ref': key,
  callback: 'https://sms.example/carriers/service/token/receipts',
};
const request = 'POST https://rest.nexmo.com/sms/json';

function answered(...messages: readonly object[]): object {
  return { 'message-count': String(messages.length), messages };
}

const taken = {
  to: '447700900000',
  'message-id': '0A0000000123ABCD1',
  status: '0',
  'remaining-balance': '3.14159265',
  'message-price': '0.03330000',
  network: '12345',
  'client-ref': 'my-personal-reference',
};
const receipt =
  'msisdn=14845552121&to=16105553939&network-code=310004&messageId=14000000F9DBBBBB&price=0.00845000&status=delivered&scts=1234567890&err-code=0&api-key=a1234567&client-ref=my-ref&message-timestamp=2020-07-17+02%3A34%3A35';
const credentials = { username: 'abcd1234', password: 'abcdef0123456789' };

play('vonage', {
  settings: credentials,
  requests: [
    { request, body },
    {
      sms: { text: 'Unicode ☺', flash: true },
      request,
      body: { ...body, text: 'Unicode ☺', type: 'unicode', 'message-class': '0' },
    },
  ],
  answers: [
    [200, answered(taken), 'accepted key 1'],
    [200, answered(taken, taken), 'accepted key 2'],
    [200, answered(taken, { status: '1', 'error-text': 'Throttled' }), 'accepted key 2'],
    [
      200,
      answered({ status: '1', 'error-text': 'Throughput Rate Exceeded - please wait [ 702 ] and retry' }),
      'retry',
    ],
    [200, answered({ status: '2', 'error-text': 'Missing from param' }), 'rejected REJECTED'],
    [200, answered({ status: '4', 'error-text': 'Bad Credentials' }), 'down'],
    [200, answered({ status: '5', 'error-text': 'Server Error' }), 'unclear'],
    [200, answered({ status: '6', 'error-text': 'Invalid message' }), 'passOn INVALIDDESTINATION'],
    [200, answered({ status: '7', 'error-text': 'Number barred.' }), 'rejected REJECTED'],
    [200, answered({ status: '9', 'error-text': 'Partner quota exceeded' }), 'down'],
    [200, answered({ status: '15', 'error-text': 'Illegal Sender Address' }), 'passOn REJECTED'],
    [200, answered({ status: '33', 'error-text': 'Number De-activated' }), 'rejected UNKNOWNSUBSCRIBER'],
    [429, 'Too many concurrent requests', 'retry'],
  ],
  calls: [
    { kind: 'receipts', query: receipt, tells: ['my-ref DELIVERED - 14845552121'] },
    { kind: 'receipts', headers: form, body: receipt, tells: ['my-ref DELIVERED - 14845552121'] },
    {
      kind: 'receipts',
      body: { msisdn: '14845552121', status: 'failed', 'err-code': '2', 'client-ref': 'my-ref' },
      tells: ['my-ref ABSENTSUBSCRIBER 2 14845552121'],
    },
    {
      kind: 'incoming',
      query:
        'msisdn=14845552121&to=16105553939&messageId=02000000DA7C52E7&concat=true&concat-ref=4&concat-total=4&concat-part=3&text=y+for+a&type=text&keyword=Y&api-key=a1234567&message-timestamp=2020-07-01+15%3A53%3A25',
      tells: ['14845552121 16105553939 y for a (4 3 4)'],
    },
    {
      kind: 'incoming',
      query: 'msisdn=14845552121&to=16105553939&messageId=02000000DA7C52E7&text=Binary+message&type=binary',
      tells: [],
    },
    // The service tries the address.
    { kind: 'incoming', tells: [] },
  ],
});

const signedSms = {
  'message-timestamp': '2013-11-21 15:27:30',
  messageId: '020000001B0FE827',
  msisdn: '14843472194',
  text: 'Test again',
  timestamp: '1385047698',
  to: '13239877404',
  type: 'text',
};

play('vonage', {
  settings: { ...credentials, secrets: { signatureSecret: 'my_secret_key_for_testing' } },
  now: 1_385_047_698_000,
  calls: [
    {
      kind: 'incoming',
      body: { ...signedSms, sig: 'd2e7b1dc968737c5998ad624e02f90b7' },
      tells: ['14843472194 13239877404 Test again'],
    },
    {
      kind: 'incoming',
      body: { ...signedSms, text: 'Other', sig: 'd2e7b1dc968737c5998ad624e02f90b7' },
      tells: [],
      answer: 'forged',
    },
  ],
});
