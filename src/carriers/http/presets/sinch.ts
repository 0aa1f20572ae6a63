/**
 * Sinch SMS (XMS), https://developers.sinch.com/docs/sms/api-reference/sms/batches, …/delivery-reports, …/webhooks, …/status-codes,
 * https://developers.sinch.com/docs/sms/smpp/error-codes. The service has no idempotency key, does not say how many SMS a text
 * makes, takes texts of up to 2,000 characters, and reads `${name}` in a text as a parameter: such a text is aborted.
 */
import type { Preset } from '../settings.ts';

/** Only accounts that have asked for it get signed calls; https://developers.sinch.com/docs/sms/api-reference/sms/webhooks. */
const signature = {
  hmac: 'sha256',
  header: 'x-sinch-webhook-signature',
  secret: 'webhookSecret',
  encoding: 'base64',
  over: '{body}.{x-sinch-webhook-signature-nonce}.{x-sinch-webhook-signature-timestamp}',
  timestamp: 'x-sinch-webhook-signature-timestamp',
} as const;

export const sinch: Preset = {
  baseUrl: 'https://eu.sms.api.sinch.com',
  submit: {
    url: '{baseUrl}/xms/v1/{username}/batches',
    headers: { Authorization: 'Bearer {password}' },
    json: {
      from: '{from}',
      to: ['{to}'],
      body: '{text}',
      flash_message: '{flash}',
      delivery_report: 'per_recipient',
      client_reference: '{id}',
      callback_url: '{receiptUrl}',
    },
    accepted: { status: [200, 201], id: '/id' },
    refusals: [
      {
        status: [400],
        at: '/code',
        is: ['syntax_invalid_parameter_format'],
        then: 'rejected',
        as: 'INVALIDDESTINATION',
      },
      // Such as a text that is too long.
      { status: [400], at: '/code', is: ['syntax_constraint_violation'], then: 'passOn' },
      {
        status: [403],
        at: '/code',
        is: ['illegal_number_type', 'llegal_number_type'],
        then: 'passOn',
        as: 'INVALIDDESTINATION',
      },
      { status: [403], at: '/code', is: ['unknown_campaign'], then: 'passOn' },
      // “The request was not processed.”
      { status: [500], then: 'retry' },
    ],
  },
  receipts: {
    id: '/batch_id',
    state: '/status',
    states: {
      Queued: 'SENT',
      Dispatched: 'SENT',
      Delivered: 'DELIVERED',
      Aborted: 'REJECTED',
      Cancelled: 'DELETED',
      Rejected: 'REJECTED',
      Deleted: 'UNDELIVERABLE',
      Failed: 'UNDELIVERABLE',
      Expired: 'EXPIRED',
      Unknown: 'UNKNOWN',
    },
    error: '/code',
    errors: {
      9: 'INVALIDDESTINATION',
      10: 'INVALIDDESTINATION',
      12: 'INVALIDDESTINATION',
      15: 'REJECTED',
      60: 'REJECTED',
      61: 'REJECTED',
      62: 'REJECTED',
      64: 'REJECTED',
      100: 'UNKNOWNSUBSCRIBER',
      150: 'UNKNOWNSUBSCRIBER',
      151: 'SUBSCRIBERERROR',
      152: 'SUBSCRIBERERROR',
      153: 'ABSENTSUBSCRIBER',
      158: 'SUBSCRIBERERROR',
      159: 'ABSENTSUBSCRIBER',
      200: 'UNKNOWNSUBSCRIBER',
      201: 'ABSENTSUBSCRIBER',
      202: 'ABSENTSUBSCRIBER',
      203: 'SUBSCRIBERERROR',
      205: 'SUBSCRIBERERROR',
      206: 'SUBSCRIBERERROR',
      210: 'SUBSCRIBERERROR',
      212: 'SUBSCRIBERERROR',
      300: 'INVALIDDESTINATION',
      301: 'INVALIDDESTINATION',
      302: 'INVALIDDESTINATION',
      402: 'UNDELIVERABLE',
      404: 'ERROR',
      406: 'EXPIRED',
      407: 'DELETED',
    },
    recipient: '/recipient',
    signature,
  },
  incoming: {
    only: { at: '/type', is: ['mo_text'] },
    id: '/id',
    from: '/from',
    to: '/to',
    text: '/body',
    signature,
  },
  signsOnRequest: true,
};
