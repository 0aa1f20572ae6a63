/**
 * Another Carillon: docs/api.md (“Send one SMS”, “Sending twice by mistake”) and docs/webhooks.md. `password` is an API key of a user
 * there. Receipts and incoming SMS come by webhooks of that user, one each, which are set up there without `batch`, and for incoming SMS
 * with `text: full`. A validity is not given, because a repetition must be the same request.
 */
import type { Preset } from '../settings.ts';

const code = '/code';
const recipientCode = '/errors/0/code';
const signature = { scheme: 'standard-webhooks', secret: 'webhookSecret' } as const;

export const carillon: Preset = {
  submit: {
    url: '{baseUrl}/restsms/svcrest/send/single',
    headers: { 'X-API-Key': '{password}', 'Idempotency-Key': '{key}' },
    json: { to: '{to}', from: '{from}', message: '{text}', flash: '{flash}' },
    accepted: { status: [200], id: '/id', parts: '/parts' },
    refusals: [
      { at: code, is: ['quota_exceeded'], then: 'down' },
      {
        at: code,
        is: ['invalid_sender', 'sender_not_allowed', 'sender_not_yours', 'no_sender', 'too_many_parts'],
        then: 'passOn',
      },
      {
        at: recipientCode,
        is: ['invalid_number', 'number_not_mobile', 'number_machine_series'],
        then: 'rejected',
        as: 'INVALIDDESTINATION',
      },
      {
        at: recipientCode,
        is: ['no_route', 'country_not_allowed'],
        then: 'passOn',
        as: 'INVALIDDESTINATION',
      },
    ],
    idempotent: true,
  },
  receipts: {
    only: { at: '/type', is: ['message.status'] },
    id: '/data/id',
    state: '/data/status',
    states: {
      QUEUED: 'SENT',
      SCHEDULED: 'SENT',
      SENT: 'SENT',
      DELIVERED: 'DELIVERED',
      ACCEPTED: 'ACCEPTED',
      UNKNOWN: 'UNKNOWN',
      DELETED: 'DELETED',
      CANCELED: 'DELETED',
      EXPIRED: 'EXPIRED',
      REJECTED: 'REJECTED',
      UNDELIVERABLE: 'UNDELIVERABLE',
      ABSENTSUBSCRIBER: 'ABSENTSUBSCRIBER',
      UNKNOWNSUBSCRIBER: 'UNKNOWNSUBSCRIBER',
      INVALIDDESTINATION: 'INVALIDDESTINATION',
      SUBSCRIBERERROR: 'SUBSCRIBERERROR',
      ERROR: 'ERROR',
    },
    recipient: '/data/to',
    signature,
  },
  incoming: {
    only: { at: '/type', is: ['message.incoming'] },
    id: '/data/id',
    from: '/data/from',
    to: '/data/to',
    text: '/data/message',
    signature,
  },
  signsOnRequest: true,
};
