/**
 * 46elks, https://46elks.com/docs/send-sms, …/sms-delivery-reports, …/receive-sms, …/ip-addresses. The service has no id of ours
 * and no idempotency key, and its delivery reports give no reason for a failure. Errors are plain texts; only those below are known.
 */
import type { Preset } from '../settings.ts';

/** https://46elks.com/docs/verify-callback-origin recommends to accept calls from these only. */
const networks = ['176.10.154.199/32', '85.24.146.132/32', '185.39.146.243/32', '2001:9b0:2:902::199/128'];

export const fortySixElks: Preset = {
  baseUrl: 'https://api.46elks.com/a1',
  choices: {
    sender: { by: 'sender', number: '+{from}', short: '{from}', alphanumeric: '{from}' },
    flashSms: { by: 'flash', yes: 'yes', no: '' },
  },
  submit: {
    url: '{baseUrl}/sms',
    basic: { username: '{username}', password: '{password}' },
    form: {
      from: '{sender}',
      to: '+{to}',
      message: '{text}',
      flashsms: '{flashSms}',
      whendelivered: '{receiptUrl}',
    },
    accepted: { status: [200], id: '/id', parts: '/parts' },
    // All faults have the status 403, and no credits left is one of them: what is not known counts as a fault of the account.
    refusals: [
      { status: [400, 403], at: 'regex:(?i)\\bcredit', then: 'down' },
      { status: [400, 403], at: 'regex:^Invalid to\\b', then: 'rejected', as: 'INVALIDDESTINATION' },
      { status: [400, 403], at: 'regex:^Invalid from\\b', then: 'passOn' },
      { status: [403], at: 'regex:^(Invalid|Missing key) ', then: 'rejected' },
    ],
  },
  receipts: {
    id: '/id',
    state: '/status',
    states: { created: 'SENT', sent: 'SENT', delivered: 'DELIVERED', failed: 'UNDELIVERABLE' },
    networks,
  },
  incoming: {
    only: { at: '/direction', is: ['incoming'] },
    id: '/id',
    from: '/from',
    to: '/to',
    text: '/message',
    networks,
    // Any text in the answer would be sent back as an SMS.
    answer: { status: 204 },
  },
};
