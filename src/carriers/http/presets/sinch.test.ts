import { play } from '../../../../test/carriers/played-service.ts';

const request = 'POST https://eu.sms.api.sinch.com/xms/v1/plan/batches';
const headers = { authorization: 'Bearer token' };
const body = {
  from: 'NordicCare',
  to: ['46701740699'],
  body: 'Hej "{to}" & hå',
  flash_message: false,
  delivery_report: 'per_recipient',
  client_reference: '1000000042',
  callback_url: 'https://sms.example/carriers/service/token/receipts',
};
/** From the tests of Sinch’s own library. */
const report =
  '{"at":"2025-01-13T09:22:40.914Z","batch_id":"01JHFFHQ0P99JPPNQPJDV7JTBP","client_reference":"a client reference","code":0,"operator_status_at":"2025-01-13T09:22:00Z","recipient":"33662162466","status":"Delivered","type":"recipient_delivery_report_sms"}';
const signature = {
  'x-sinch-webhook-signature-algorithm': 'HmacSHA256',
  'x-sinch-webhook-signature': 'ZoHei66PPN/kZjw7hFVfGhJOnml3iGNCMWoyQVcE5o0=',
  'x-sinch-webhook-signature-nonce': '01JHFFHWYY7HSS4FWTMDTQEK8V',
  'x-sinch-webhook-signature-timestamp': '1736760161',
};

play('sinch', {
  settings: { username: 'plan', password: 'token', secrets: { webhookSecret: 'SMSWebhooksSecret' } },
  now: 1_736_760_200_000,
  requests: [
    { request, headers, body },
    {
      sms: { flash: true, text: 'Hi', sender: '46731230001' },
      request,
      headers,
      body: { ...body, from: '46731230001', body: 'Hi', flash_message: true },
    },
  ],
  answers: [
    [
      201,
      {
        type: 'mt_text',
        body: 'hello',
        id: '5Z8QsIRsk86f-jHB',
        to: ['987654321'],
        from: '12345',
        expire_at: '2016-12-17T08:15:29.969Z',
        canceled: false,
      },
      'accepted 5Z8QsIRsk86f-jHB',
    ],
    [
      400,
      { code: 'syntax_invalid_parameter_format', text: "'foo' is not a valid identifier" },
      'rejected INVALIDDESTINATION',
    ],
    [400, { code: 'syntax_constraint_violation', text: '…' }, 'passOn REJECTED'],
    [401, {}, 'down'],
    [403, { code: 'blocked_account', text: '…' }, 'down'],
    [403, { code: 'missing_callback_url', text: '…' }, 'down'],
    [403, { code: 'llegal_number_type', text: '…' }, 'passOn INVALIDDESTINATION'],
    [429, '', 'retry'],
    [500, {}, 'retry'],
    [502, '', 'unclear'],
    [503, {}, 'retry'],
  ],
  calls: [
    {
      kind: 'receipts',
      headers: { 'content-type': 'application/json', ...signature },
      body: report,
      tells: ['01JHFFHQ0P99JPPNQPJDV7JTBP DELIVERED - 33662162466'],
    },
    {
      kind: 'receipts',
      headers: { 'content-type': 'application/json', ...signature },
      body: report.replace('Delivered', 'Failed'),
      tells: [],
      answer: 'forged',
    },
    { kind: 'incoming', body: { type: 'mo_text' }, tells: [], answer: 'forged' },
  ],
});

play('sinch', {
  settings: { username: 'plan', password: 'token' },
  calls: [
    {
      kind: 'receipts',
      body: {
        recipient: '123456789',
        code: 11,
        status: 'Failed',
        at: '2016-12-05T16:24:23.318Z',
        type: 'recipient_delivery_report_sms',
        batch_id: '3-mbA7z9wDKY76ag',
        operator_status_at: '2016-12-05T16:24:00.000Z',
        status_message: 'mystatusmessage',
        operator: '31101',
      },
      tells: ['3-mbA7z9wDKY76ag UNDELIVERABLE 11 123456789'],
    },
    {
      kind: 'receipts',
      body: {
        type: 'recipient_delivery_report_sms',
        batch_id: '3-mb',
        recipient: '123456789',
        code: '159',
        status: 'Failed',
      },
      tells: ['3-mb ABSENTSUBSCRIBER 159 123456789'],
    },
    {
      kind: 'incoming',
      body: {
        body: 'Hello John! 👋',
        from: '12015555555',
        id: '01FC66621XXXXX119Z8PMV1QPA',
        operator_id: '311071',
        received_at: '2019-08-24T14:17:22Z',
        to: '12017777777',
        type: 'mo_text',
      },
      tells: ['12015555555 12017777777 Hello John! 👋'],
    },
    {
      kind: 'incoming',
      body: { type: 'mo_binary', id: '01F', from: '1201', to: '1202', body: 'AQI=' },
      tells: [],
    },
  ],
});
