import { key, play } from '../../../../test/carriers/played-service.ts';

function answered(groupId: number, id: number, name: string): object {
  const status = { groupId, groupName: '…', id, name, description: '…' };
  const message = { messageId: key, status, destination: '46701740699', details: { messageCount: 1 } };
  return { bulkId: '2034072219640523072', messages: [message] };
}

function report(status: object, error: object): object {
  return {
    results: [
      {
        bulkId: 'BULK-ID-123-xyz',
        price: { pricePerMessage: 0.01, currency: 'EUR' },
        status,
        error,
        messageId: 'MESSAGE-ID-123-xyz',
        to: '41793026727',
        sender: 'InfoSMS',
        sentAt: '2019-11-09T16:00:00.000+0100',
        doneAt: '2019-11-09T16:00:00.000+0100',
        messageCount: 1,
      },
    ],
  };
}

play('infobip', {
  settings: { baseUrl: 'https://xxxxx.api.infobip.com', password: 'key' },
  requests: [
    {
      request: 'POST https://xxxxx.api.infobip.com/sms/3/messages',
      headers: { authorization: 'App key', accept: 'application/json' },
      body: {
        messages: [
          {
            sender: 'NordicCare',
            destinations: [{ to: '46701740699', messageId: key }],
            content: { text: 'Hej "{to}" & hå' },
            options: { flash: false },
            webhooks: {
              delivery: { url: 'https://sms.example/carriers/service/token/receipts' },
              contentType: 'application/json',
            },
          },
        ],
        options: { includeSmsCountInResponse: true },
      },
    },
  ],
  answers: [
    [200, answered(1, 26, 'PENDING_ACCEPTED'), 'accepted key 1'],
    [200, answered(5, 23, 'REJECTED_DUPLICATE_MESSAGE_ID'), 'accepted key 1'],
    [200, answered(5, 12, 'REJECTED_NOT_ENOUGH_CREDITS'), 'passOn ERROR'],
    [200, answered(5, 17, 'REJECTED_PREPAID_PACKAGE_EXPIRED'), 'passOn ERROR'],
    [200, answered(5, 19, 'REJECTED_ROUTE_NOT_AVAILABLE'), 'passOn ERROR'],
    [200, answered(5, 52, 'REJECTED_DESTINATION'), 'rejected INVALIDDESTINATION'],
    [200, answered(5, 6, 'REJECTED_NETWORK'), 'passOn INVALIDDESTINATION'],
    [200, answered(5, 11, 'REJECTED_SOURCE'), 'passOn REJECTED'],
    [200, answered(5, 21, 'REJECTED_SYSTEM_ERROR'), 'passOn ERROR'],
    [200, answered(5, 10, 'REJECTED_DND'), 'rejected REJECTED'],
    [200, answered(2, 9, 'UNDELIVERABLE_NOT_DELIVERED'), 'rejected UNDELIVERABLE'],
    [400, { errorCode: 'E400', description: 'Request cannot be processed.' }, 'rejected REJECTED'],
    [
      401,
      { requestError: { serviceException: { messageId: 'UNAUTHORIZED', text: 'Invalid login details' } } },
      'down',
    ],
    [429, { errorCode: 'E429', description: 'Too many requests sent.' }, 'retry'],
    [500, { errorCode: 'E500', description: 'Something went wrong.' }, 'unclear'],
  ],
  calls: [
    {
      kind: 'receipts',
      body: report({ groupId: 3, id: 5, name: 'DELIVERED_TO_HANDSET' }, { id: 0, name: 'NO_ERROR' }),
      tells: ['MESSAGE-ID-123-xyz DELIVERED - 41793026727'],
    },
    {
      kind: 'receipts',
      body: report({ groupId: 3, id: 2, name: 'DELIVERED_TO_OPERATOR' }, { id: 0, name: 'NO_ERROR' }),
      tells: ['MESSAGE-ID-123-xyz SENT - 41793026727'],
    },
    {
      kind: 'receipts',
      body: report(
        { groupId: 2, id: 9, name: 'UNDELIVERABLE_NOT_DELIVERED' },
        { id: 1, name: 'EC_UNKNOWN_SUBSCRIBER' },
      ),
      tells: ['MESSAGE-ID-123-xyz UNKNOWNSUBSCRIBER EC_UNKNOWN_SUBSCRIBER 41793026727'],
    },
    {
      kind: 'incoming',
      body: {
        results: [
          {
            messageId: '817790313235066447',
            from: '385916242493',
            to: '385921004026',
            text: 'QUIZ Correct answer is Paris',
            cleanText: 'Correct answer is Paris',
            keyword: 'QUIZ',
            receivedAt: '2019-11-09T16:00:00.000+0000',
            smsCount: 1,
          },
        ],
        messageCount: 1,
        pendingMessageCount: 1,
      },
      tells: ['385916242493 385921004026 QUIZ Correct answer is Paris'],
    },
  ],
});
