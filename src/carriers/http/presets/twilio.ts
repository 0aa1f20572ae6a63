/**
 * Twilio Programmable Messaging, https://www.twilio.com/docs/messaging/api/message-resource, …/guides/track-outbound-message-status,
 * …/guides/webhook-request, https://www.twilio.com/docs/usage/webhooks/webhooks-security, https://www.twilio.com/docs/api/errors.
 * The service has no idempotency key. A validity is not given, because it is refused above ten hours.
 */
import type { Preset } from '../settings.ts';

export const twilio: Preset = {
  baseUrl: 'https://api.twilio.com',
  choices: { sender: { by: 'sender', number: '+{from}', short: '{from}', alphanumeric: '{from}' } },
  submit: {
    url: '{baseUrl}/2010-04-01/Accounts/{username}/Messages.json',
    basic: { username: '{username}', password: '{password}' },
    form: { From: '{sender}', To: '+{to}', Body: '{text}', StatusCallback: '{receiptUrl}' },
    accepted: { status: [200, 201], id: '/sid', parts: '/num_segments' },
    refusals: [
      // A message may be refused in the answer that takes it.
      {
        status: [200, 201],
        at: '/status',
        is: ['failed', 'undelivered', 'canceled'],
        then: 'rejected',
        as: 'UNDELIVERABLE',
      },
      { at: '/code', is: ['14107', '20429', '21611', '30001'], then: 'retry' },
      // The account, and the address for receipts.
      { at: '/code', is: ['10001', '20005', '20006', '20008', '21609', '21626', '30002'], then: 'down' },
      { at: '/code', is: ['21610'], then: 'rejected' },
      {
        at: '/code',
        is: ['21211', '21214', '21217', '21421', '21604', '21614'],
        then: 'rejected',
        as: 'INVALIDDESTINATION',
      },
      { at: '/code', is: ['21408', '21612', '30006'], then: 'passOn', as: 'INVALIDDESTINATION' },
      // A trial account, a sender that is not ours at this service, a text longer than it takes.
      {
        at: '/code',
        is: [
          '21219',
          '21210',
          '21608',
          '21212',
          '21601',
          '21603',
          '21606',
          '21607',
          '21616',
          '21617',
          '21701',
        ].concat(['21702', '21703', '21704', '21705', '21709', '30018', '30024', '30032', '30034']),
        then: 'passOn',
      },
    ],
  },
  receipts: {
    id: '/MessageSid',
    state: '/MessageStatus',
    states: {
      accepted: 'SENT',
      scheduled: 'SENT',
      queued: 'SENT',
      sending: 'SENT',
      sent: 'SENT',
      delivered: 'DELIVERED',
      read: 'DELIVERED',
      partially_delivered: 'UNKNOWN',
      undelivered: 'UNDELIVERABLE',
      failed: 'UNDELIVERABLE',
      canceled: 'DELETED',
    },
    error: '/ErrorCode',
    errors: {
      21610: 'REJECTED',
      30001: 'ERROR',
      30002: 'REJECTED',
      30003: 'ABSENTSUBSCRIBER',
      30004: 'REJECTED',
      30005: 'UNKNOWNSUBSCRIBER',
      30006: 'INVALIDDESTINATION',
      30007: 'REJECTED',
      30017: 'ERROR',
      30018: 'REJECTED',
      30022: 'REJECTED',
      30023: 'REJECTED',
      30024: 'REJECTED',
      30027: 'REJECTED',
      30032: 'REJECTED',
      30034: 'REJECTED',
      30036: 'EXPIRED',
    },
    recipient: '/To',
    signature: 'twilio',
  },
  incoming: {
    id: '/MessageSid',
    from: '/From',
    to: '/To',
    text: '/Body',
    signature: 'twilio',
    // TwiML that sends nothing back.
    answer: { type: 'text/xml', body: '<?xml version="1.0" encoding="UTF-8"?><Response/>' },
  },
};
