import { createHmac } from 'node:crypto';
import { type Call, form, play } from '../../../../test/carriers/played-service.ts';

const account = 'AC0db966d80e9f1662da09c61287f8bba1';
const headers = { authorization: `Basic ${Buffer.from(`${account}:12345`).toString('base64')}` };
const request = `POST https://api.twilio.com/2010-04-01/Accounts/${account}/Messages.json`;
const StatusCallback = 'https://sms.example/carriers/service/token/receipts';
const sid = 'SM4262411b90e5464b98a4f66a49c57a97';
const delivered =
  'SmsSid=SM4262411b90e5464b98a4f66a49c57a97&SmsStatus=delivered&MessageStatus=delivered&To=%2B15622089096&MessagingServiceSid=MG4d9d720b38f7892254869fabdca51e69&MessageSid=SM4262411b90e5464b98a4f66a49c57a97&AccountSid=AC0db966d80e9f1662da09c61287f8bba1&From=%2B16232320112&ApiVersion=2010-04-01';

function fault(code: number, status = 400): object {
  return { code, message: '…', more_info: `https://www.twilio.com/docs/errors/${code}`, status };
}

/** As Twilio signs what it sends to an address. */
function signed(
  kind: Call['kind'],
  fields: Readonly<Record<string, string>>,
  tells: string,
  answer = '200',
): Call {
  const text = Object.entries(fields)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flat()
    .join('');
  const url = `https://sms.example/carriers/service/token/${kind}`;
  const signature = createHmac('sha1', '12345')
    .update(url + text)
    .digest('base64');
  const body = new URLSearchParams(fields).toString();
  return { kind, headers: { ...form, 'x-twilio-signature': signature }, body, tells: [tells], answer };
}

play('twilio', {
  settings: { username: account, password: '12345' },
  requests: [
    {
      request,
      headers,
      body: { From: 'NordicCare', To: '+46701740699', Body: 'Hej "{to}" & hå', StatusCallback },
    },
    {
      sms: { sender: '15017122661', text: 'Hi' },
      request,
      headers,
      body: { From: '+15017122661', To: '+46701740699', Body: 'Hi', StatusCallback },
    },
    {
      sms: { sender: '71800', text: 'Hi' },
      request,
      headers,
      body: { From: '71800', To: '+46701740699', Body: 'Hi', StatusCallback },
    },
  ],
  answers: [
    [201, { sid, status: 'queued', num_segments: '1', error_code: null }, `accepted ${sid} 1`],
    [201, { sid, status: 'failed', num_segments: '1', error_code: 30001 }, 'rejected UNDELIVERABLE'],
    [400, fault(21211), 'rejected INVALIDDESTINATION'],
    [400, fault(21610), 'rejected REJECTED'],
    [400, fault(21606), 'passOn REJECTED'],
    [400, fault(21612), 'passOn INVALIDDESTINATION'],
    [400, fault(21609), 'down'],
    [400, fault(21611), 'retry'],
    [400, fault(21602), 'rejected REJECTED'],
    [401, fault(20003, 401), 'down'],
    [404, fault(20404, 404), 'down'],
    [429, fault(20429, 429), 'retry'],
    [500, fault(20500, 500), 'unclear'],
  ],
  calls: [
    {
      kind: 'receipts',
      url: 'https://example.com/twilio/status',
      headers: { ...form, 'x-twilio-signature': 'O/EerB58ijFexI1uk2sKC4xLum0=' },
      body: delivered,
      tells: [`${sid} DELIVERED - 15622089096`],
    },
    {
      kind: 'receipts',
      url: 'https://example.com/twilio/status',
      headers: { ...form, 'x-twilio-signature': 'O/EerB58ijFexI1uk2sKC4xLum0=' },
      body: delivered.replace('=delivered', '=failed'),
      tells: [],
      answer: 'forged',
    },
    signed(
      'receipts',
      {
        ErrorCode: '30003',
        MessageSid: sid,
        MessageStatus: 'undelivered',
        To: '+12028831111',
      },
      `${sid} ABSENTSUBSCRIBER 30003 12028831111`,
    ),
    signed(
      'incoming',
      {
        ToCountry: 'US',
        ToCity: '',
        SmsStatus: 'received',
        Body: 'twilio-go testing!',
        To: '+19253920364',
        MessageSid: 'SM1521fa559fb923c1ed64f56cd1bed8ef',
        From: '+19253920364',
      },
      '+19253920364 +19253920364 twilio-go testing!',
      '200 <?xml version="1.0" encoding="UTF-8"?><Response/>',
    ),
  ],
});
