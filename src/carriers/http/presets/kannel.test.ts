import { play } from '../../../../test/carriers/played-service.ts';

const dlrUrl =
  'https%3A%2F%2Fsms.example%2Fcarriers%2Fservice%2Ftoken%2Freceipts%3Fid%3D1000000042%26state%3D%25d%26to%3D%25p%26answer%3D%25A';
const address = 'GET http://127.0.0.1:13013/cgi-bin/sendsms?username=foo&password=bar';

play('kannel', {
  settings: { username: 'foo', password: 'bar' },
  requests: [
    {
      request: `${address}&from=NordicCare&to=46701740699&text=Hej+%22%7Bto%7D%22+%26+h%C3%A5&charset=UTF-8&coding=0&dlr-mask=31&dlr-url=${dlrUrl}`,
    },
    {
      sms: { text: '☺', flash: true },
      request: `${address}&from=NordicCare&to=46701740699&text=%E2%98%BA&charset=UTF-8&coding=2&mclass=0&dlr-mask=31&dlr-url=${dlrUrl}`,
    },
  ],
  answers: [
    [202, '0: Accepted for delivery', 'accepted own'],
    [202, '3: Queued for later delivery', 'accepted own'],
    [202, 'Sent. Message splits: 3', 'accepted own 3'],
    [202, 'Sent. Denied receivers are: 46701740699', 'rejected INVALIDDESTINATION'],
    [200, 'Something else', 'unclear'],
    [400, 'Number(s) has/have been denied by white- and/or black-lists.', 'rejected INVALIDDESTINATION'],
    [400, 'Charset or body misformed, rejected', 'rejected REJECTED'],
    [400, 'DLR-URL field misformed, rejected', 'down'],
    [403, 'Not routable. Do not try again.', 'passOn INVALIDDESTINATION'],
    [403, 'Authorization failed for sendsms', 'down'],
    [404, 'Unknown request.', 'down'],
    [500, 'Sending failed.', 'retry'],
    [503, 'Temporal failure, try again later.', 'retry'],
  ],
  calls: [
    {
      kind: 'receipts',
      query: 'id=1000000042&state=8&to=46701740699&answer=ACK%2F',
      tells: ['1000000042 SENT - 46701740699'],
    },
    {
      kind: 'receipts',
      query: 'id=1000000042&state=16&to=46701740699&answer=NACK%2F0x0000000b%2FInvalid+Destination+Address',
      tells: ['1000000042 INVALIDDESTINATION 0x0000000b 46701740699'],
    },
    {
      kind: 'receipts',
      query:
        'id=1000000042&state=2&to=46701740699&answer=id%3A1796026296000001+sub%3A001+dlvrd%3A000+submit+date%3A2611300811+done+date%3A2611300811+stat%3AUNDELIV+err%3A027+text%3Ax',
      tells: ['1000000042 UNDELIVERABLE 027 46701740699'],
    },
    { kind: 'receipts', query: 'id=1000000042&state=66', tells: ['unreadable'] },
    {
      kind: 'incoming',
      query: 'id=b1&from=46701740699&to=46731230001&text=Hej+h%C3%A5',
      tells: ['46701740699 46731230001 Hej hå'],
    },
  ],
});
