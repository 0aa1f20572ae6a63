/**
 * Bird, https://bird.com/docs (the API of its SDKs, such as https://github.com/messagebird/bird-sdk-go). It reports no incoming SMS.
 * Texts of more than 12 SMS are refused. `category` among the values is what the messages are for. A webhook for the events `sms.*`
 * is set up once at the service, which then makes the key of its signatures.
 */
import type { Preset } from '../settings.ts';

export const bird: Preset = {
  baseUrl: 'https://eu1.platform.bird.com',
  values: { category: 'transactional' },
  choices: { sender: { by: 'sender', number: '+{from}', short: '{from}', alphanumeric: '{from}' } },
  submit: {
    url: '{baseUrl}/v1/sms/messages',
    headers: { Authorization: 'Bearer {password}', 'Idempotency-Key': '{key}' },
    json: {
      from: '{sender}',
      to: '+{to}',
      text: '{text}',
      category: '{category}',
      metadata: { reference: '{key}' },
    },
    accepted: { id: '/id', parts: '/segments/count' },
    refusals: [
      {
        status: [200, 201, 202],
        at: '/status',
        is: ['rejected', 'failed', 'undelivered'],
        then: 'rejected',
        as: 'UNDELIVERABLE',
      },
      // The same request is under way.
      { status: [408, 409], then: 'retry' },
      { status: [422], at: '/error/param', is: ['to'], then: 'rejected', as: 'INVALIDDESTINATION' },
      { status: [422], at: '/error/param', is: ['from', 'text'], then: 'passOn' },
    ],
    idempotent: true,
  },
  receipts: {
    id: '/data/sms_id',
    state: '/type',
    states: {
      'sms.accepted': 'SENT',
      'sms.scheduled': 'SENT',
      'sms.sent': 'SENT',
      'sms.delivered': 'DELIVERED',
      'sms.undelivered': 'UNDELIVERABLE',
      'sms.failed': 'UNDELIVERABLE',
      'sms.rejected': 'REJECTED',
      'sms.expired': 'EXPIRED',
      'sms.canceled': 'DELETED',
    },
    error: '/data/error/code',
    errors: {
      invalid_destination: 'INVALIDDESTINATION',
      landline_unreachable: 'INVALIDDESTINATION',
      unreachable: 'ABSENTSUBSCRIBER',
      blocked_by_recipient: 'REJECTED',
      recipient_opted_out: 'REJECTED',
      blocked_by_carrier: 'REJECTED',
      content_rejected: 'REJECTED',
      sender_unregistered: 'REJECTED',
      insufficient_balance: 'REJECTED',
      provider_unavailable: 'ERROR',
    },
    recipient: '/data/to',
    signature: { scheme: 'standard-webhooks', secret: 'webhookSecret' },
  },
  signsOnRequest: true,
};
