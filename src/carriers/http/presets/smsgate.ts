/**
 * SMS Gate, an Android phone as a gateway, https://docs.sms-gate.app/integration/api/, …/features/webhooks/,
 * https://github.com/capcom6/android-sms-gateway. The sender is always the phone's own number. A message in several SMS is reported
 * once for each of them, and the first final report counts. `/payload/recipient` of an incoming SMS is missing unless the app may
 * read the phone's number.
 */
import type { Preset } from '../settings.ts';

const signature = {
  hmac: 'sha256',
  header: 'x-signature',
  secret: 'signingKey',
  encoding: 'hex',
  over: '{body}{x-timestamp}',
  timestamp: 'x-timestamp',
} as const;

export const smsgate: Preset = {
  // On a phone in one's own network: http://192.0.2.5:8080.
  baseUrl: 'https://api.sms-gate.app/3rdparty/v1',
  submit: {
    url: '{baseUrl}/messages',
    basic: { username: '{username}', password: '{password}' },
    json: {
      id: '{key}',
      textMessage: { text: '{text}' },
      phoneNumbers: ['+{to}'],
      ttl: '{validitySeconds}',
      withDeliveryReport: true,
    },
    accepted: { status: [200, 201, 202], id: 'key' },
    refusals: [
      // It has a message with this id already.
      { status: [409], then: 'accepted' },
      {
        status: [400],
        at: 'regex:(?i)(invalid|not mobile) phone number',
        then: 'rejected',
        as: 'INVALIDDESTINATION',
      },
      { status: [400], at: 'regex:(?i)device', then: 'retry' },
    ],
    idempotent: true,
  },
  receipts: {
    id: '/payload/messageId',
    state: '/event',
    states: {
      'sms:sent': 'SENT',
      'sms:delivered': 'DELIVERED',
      'sms:failed': 'UNDELIVERABLE',
      'sms:cancelled': 'DELETED',
      // In answers to the poll.
      Pending: 'SENT',
      Processed: 'SENT',
      Sent: 'SENT',
      Delivered: 'DELIVERED',
      Failed: 'UNDELIVERABLE',
      Cancelling: 'SENT',
      Cancelled: 'DELETED',
    },
    error: '/payload/reason',
    errors: { RESULT_ERROR_LIMIT_EXCEEDED: 'ERROR', RESULT_ERROR_GENERIC_FAILURE: 'ERROR' },
    recipient: '/payload/recipient',
    signature,
    // Works without webhooks too, such as from a phone that can't reach us.
    poll: {
      url: '{baseUrl}/messages/{carrierId}',
      basic: { username: '{username}', password: '{password}' },
      state: '/state',
      error: '/recipients/0/error',
      everyMs: 30_000,
    },
  },
  incoming: {
    only: { at: '/event', is: ['sms:received'] },
    id: '/id',
    from: '/payload/sender',
    to: '/payload/recipient',
    text: '/payload/message',
    signature,
  },
};
