/**
 * Telnyx Messaging v2, https://developers.telnyx.com/api-reference/messages/send-a-message,
 * https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks, …/error-codes, …/rate-limiting. The service has no id of
 * ours and no idempotency key. Senders with letters need `messagingProfile` among the values.
 */
import type { Preset } from '../settings.ts';

const code = '/errors/0/code';
const signature = {
  ed25519: true,
  header: 'telnyx-signature-ed25519',
  secret: 'publicKey',
  encoding: 'base64',
  over: '{telnyx-timestamp}|{body}',
  timestamp: 'telnyx-timestamp',
} as const;

export const telnyx: Preset = {
  baseUrl: 'https://api.telnyx.com',
  values: { messagingProfile: '' },
  choices: { sender: { by: 'sender', number: '+{from}', short: '{from}', alphanumeric: '{from}' } },
  submit: {
    url: '{baseUrl}/v2/messages',
    headers: { Authorization: 'Bearer {password}' },
    json: {
      from: '{sender}',
      to: '+{to}',
      text: '{text}',
      type: 'SMS',
      messaging_profile_id: '{messagingProfile}',
      webhook_url: '{receiptUrl}',
    },
    accepted: { id: '/data/id', parts: '/data/parts' },
    refusals: [
      { at: code, is: ['10011', '40318', '40320'], then: 'retry' },
      {
        at: code,
        is: [
          '10009',
          '10010',
          '20002',
          '20006',
          '20012',
          '20013',
          '20014',
          '20015',
          '20016',
          '20017',
          '20100',
        ].concat(['40311', '40312', '40313', '40314']),
        then: 'down',
      },
      {
        at: code,
        is: ['10002', '10016', '40012', '40310'],
        then: 'rejected',
        as: 'INVALIDDESTINATION',
      },
      { at: code, is: ['40001', '40301', '40309', '40319'], then: 'passOn', as: 'INVALIDDESTINATION' },
      // Senders, and texts longer than the service takes.
      {
        at: code,
        is: [
          '40010',
          '40013',
          '40100',
          '40150',
          '40151',
          '40302',
          '40305',
          '40306',
          '40308',
          '40315',
          '40321',
        ].concat(['40328', '40329']),
        then: 'passOn',
      },
    ],
  },
  receipts: {
    id: '/data/payload/id',
    state: '/data/payload/to/0/status',
    states: {
      queued: 'SENT',
      sending: 'SENT',
      sent: 'SENT',
      delivered: 'DELIVERED',
      delivery_unconfirmed: 'UNKNOWN',
      delivery_failed: 'UNDELIVERABLE',
      sending_failed: 'ERROR',
      expired: 'EXPIRED',
    },
    error: '/data/payload/errors/0/code',
    errors: {
      40001: 'INVALIDDESTINATION',
      40002: 'REJECTED',
      40003: 'REJECTED',
      40005: 'EXPIRED',
      40008: 'UNDELIVERABLE',
      40009: 'REJECTED',
      40010: 'REJECTED',
      40012: 'INVALIDDESTINATION',
      40014: 'EXPIRED',
      40015: 'REJECTED',
      40017: 'REJECTED',
      40300: 'REJECTED',
    },
    recipient: '/data/payload/to/0/phone_number',
    signature,
  },
  incoming: {
    only: { at: '/data/event_type', is: ['message.received'] },
    id: '/data/payload/id',
    from: '/data/payload/from/phone_number',
    to: '/data/payload/to/0/phone_number',
    text: '/data/payload/text',
    signature,
  },
  throughput: 50,
};
