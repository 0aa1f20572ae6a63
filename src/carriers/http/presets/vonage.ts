/**
 * Vonage SMS API, https://developer.vonage.com/en/api/sms, https://developer.vonage.com/en/messaging/sms/guides/delivery-receipts,
 * …/inbound-sms, …/troubleshooting-sms, https://developer.vonage.com/en/getting-started/concepts/signing-messages. It gives an id to
 * each SMS of a long text; our reference is the same in all their receipts, of which the first final one counts. It is not told if
 * the service takes only some SMS of a text. An address for receipts may have at most 100 characters. There is no idempotency key.
 * A validity is not given, because less than 20 seconds is refused.
 */
import type { Preset } from '../settings.ts';

const status = '/messages/0/status';
/** Once the service has enabled signatures; `hash` as set for the account. */
const signature = { scheme: 'vonage', secret: 'signatureSecret' } as const;

export const vonage: Preset = {
  baseUrl: 'https://rest.nexmo.com',
  choices: {
    type: { by: 'encoding', gsm7: 'text', ucs2: 'unicode' },
    messageClass: { by: 'flash', yes: '0', no: '' },
  },
  submit: {
    url: '{baseUrl}/sms/json',
    form: {
      api_key: '{username}',
      api_secret: '{password}',
      from: '{from}',
      to: '{to}',
      text: '{text}',
      type: '{type}',
      'message-class': '{messageClass}',
      'client-ref': '{key}',
      callback: '{receiptUrl}',
    },
    accepted: { status: [200], at: status, is: ['0'], id: 'key', parts: '/message-count' },
    refusals: [
      { at: status, is: ['1', '10'], then: 'retry' },
      // Credentials, the account, no credit, the address for receipts.
      { at: status, is: ['4', '8', '9', '11', '14', '23', '32'], then: 'down' },
      { at: status, is: ['33'], then: 'rejected', as: 'UNKNOWNSUBSCRIBER' },
      { at: status, is: ['6'], then: 'passOn', as: 'INVALIDDESTINATION' },
      // Too long, a wrong sender, a demo account.
      { at: status, is: ['12', '15', '29', '101'], then: 'passOn' },
      { at: status, is: ['2', '3', '7', '13', '22'], then: 'rejected' },
    ],
  },
  receipts: {
    id: '/client-ref',
    state: '/status',
    states: {
      accepted: 'SENT',
      buffered: 'SENT',
      delivered: 'DELIVERED',
      expired: 'EXPIRED',
      failed: 'UNDELIVERABLE',
      rejected: 'REJECTED',
      unknown: 'UNKNOWN',
    },
    error: '/err-code',
    errors: {
      2: 'ABSENTSUBSCRIBER',
      3: 'UNKNOWNSUBSCRIBER',
      4: 'SUBSCRIBERERROR',
      6: 'REJECTED',
      7: 'SUBSCRIBERERROR',
      8: 'ERROR',
      9: 'REJECTED',
      10: 'REJECTED',
      13: 'REJECTED',
      14: 'REJECTED',
      15: 'SUBSCRIBERERROR',
    },
    recipient: '/msisdn',
    signature,
  },
  incoming: {
    only: { at: '/type', is: ['text', 'unicode'] },
    id: '/messageId',
    from: '/msisdn',
    to: '/to',
    text: '/text',
    concatenation: { reference: '/concat-ref', part: '/concat-part', parts: '/concat-total' },
    signature,
  },
  signsOnRequest: true,
  throughput: 30,
};
