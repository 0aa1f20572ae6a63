import { form, play } from '../../../../test/carriers/played-service.ts';

const address = '176.10.154.199';
const authorization = 'Basic dTEyMzpwdw==';

play('46elks', {
  settings: { username: 'u123', password: 'pw' },
  requests: [
    {
      request: 'POST https://api.46elks.com/a1/sms',
      headers: { authorization },
      body: {
        from: 'NordicCare',
        to: '+46701740699',
        message: 'Hej "{to}" & hå',
        whendelivered: 'https://sms.example/carriers/service/token/receipts',
      },
    },
    {
      sms: { sender: '46731230001', text: 'Привет', flash: true },
      request: 'POST https://api.46elks.com/a1/sms',
      headers: { authorization },
      body: {
        from: '+46731230001',
        to: '+46701740699',
        message: 'Привет',
        flashsms: 'yes',
        whendelivered: 'https://sms.example/carriers/service/token/receipts',
      },
    },
  ],
  answers: [
    [
      200,
      {
        status: 'created',
        direction: 'outgoing',
        from: '+46702222222',
        created: '2021-12-30T20:35:32.429389',
        parts: 1,
        to: '+46701111111',
        cost: 3900,
        message: 'Symfony test',
        id: 's0231d6d7d6bc14a7e7734e466785c4ce',
      },
      'accepted s0231d6d7d6bc14a7e7734e466785c4ce 1',
    ],
    [401, 'API access requires Basic HTTP authentication. Read documentation or examples.', 'down'],
    [403, 'Invalid to number', 'rejected INVALIDDESTINATION'],
    [403, 'Invalid from', 'passOn REJECTED'],
    [403, 'Missing key from', 'rejected REJECTED'],
    [403, 'Not enough credits', 'down'],
    [403, 'Something new', 'down'],
    [404, 'Not found', 'down'],
    [500, '', 'unclear'],
  ],
  calls: [
    {
      kind: 'receipts',
      address,
      headers: form,
      body: 'id=s70df59406a1b4643b96f3f91e0bfb7b0&status=delivered&delivered=2024-05-04T13:38:15.123000',
      tells: ['s70df59406a1b4643b96f3f91e0bfb7b0 DELIVERED - -'],
    },
    {
      kind: 'receipts',
      address: '2001:9b0:2:902::199',
      headers: form,
      body: 'id=s70df59406a1b4643b96f3f91e0bfb7b0&status=failed',
      tells: ['s70df59406a1b4643b96f3f91e0bfb7b0 UNDELIVERABLE - -'],
    },
    {
      kind: 'receipts',
      headers: form,
      body: 'id=s70df59406a1b4643b96f3f91e0bfb7b0&status=failed',
      tells: [],
      answer: 'forged',
    },
    {
      kind: 'incoming',
      address,
      headers: form,
      body: 'direction=incoming&id=sf8425555e5d8db61dda7a7b3f1b91bdb&from=%2B46706861004&to=%2B46706860000&created=2018-07-13T13%3A57%3A23.741000&message=Hello%20how%20are%20you%3F',
      tells: ['+46706861004 +46706860000 Hello how are you?'],
      answer: '204',
    },
  ],
});
