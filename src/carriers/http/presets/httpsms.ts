/**
 * httpSMS, an Android phone as a gateway, https://docs.httpsms.com, https://docs.httpsms.com/webhooks/introduction,
 * https://github.com/NdoleStudio/httpsms. `username` is the phone's number in digits, the sender of messages whose sender is a name.
 * The service has no idempotency key and does not count SMS. Its signatures don't cover what is reported. It reports twice at most,
 * one try right after the other. Texts that the app encrypts stay encrypted.
 */
import type { Preset } from '../settings.ts';

const signature = { scheme: 'jwt', secret: 'signingKey' } as const;

export const httpsms: Preset = {
  baseUrl: 'https://api.httpsms.com',
  choices: { sender: { by: 'sender', number: '+{from}', short: '+{username}', alphanumeric: '+{username}' } },
  submit: {
    url: '{baseUrl}/v1/messages/send',
    headers: { 'x-api-key': '{password}' },
    json: { from: '{sender}', to: '+{to}', content: '{text}', request_id: '{key}' },
    accepted: { status: [200], id: 'key' },
    refusals: [
      { status: [422], at: 'regex:could not validate .{0,4}from', then: 'retry' },
      { status: [422], at: '/data/to/0', then: 'rejected', as: 'INVALIDDESTINATION' },
      { status: [422], at: '/data/from/0', then: 'passOn' },
    ],
  },
  receipts: {
    id: '/data/request_id',
    // The kind of event; for an expiry, whether there will be no further try.
    state: 'regex:"(?:type|is_final)": ?"?(message\\.phone\\.[a-z]+|message\\.send\\.failed|true|false)',
    states: {
      'message.phone.sent': 'SENT',
      'message.phone.delivered': 'DELIVERED',
      'message.send.failed': 'UNDELIVERABLE',
      true: 'EXPIRED',
      false: 'SENT',
    },
    error: '/data/error_message',
    recipient: '/data/contact',
    signature,
  },
  incoming: {
    only: { at: '/type', is: ['message.phone.received'] },
    id: '/data/message_id',
    from: '/data/contact',
    to: '/data/owner',
    text: '/data/content',
    signature,
  },
  signsOnRequest: true,
};
