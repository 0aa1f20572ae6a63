/**
 * Kannel's smsbox, https://www.kannel.org/download/1.4.5/userguide-1.4.5/userguide.html (“Using the HTTP interface to send SMS
 * messages”, “Delivery reports”). It gives no id, so our id is in the address for its reports, which needs a public address of ours.
 * It counts SMS in its answer only with `immediate-sendsms-reply`. It has no idempotency key and signs nothing. A validity is not
 * given, because it is in minutes there. Incoming SMS come by a `get-url`, as docs/http-carriers.md shows.
 */
import type { Preset } from '../settings.ts';

export const kannel: Preset = {
  baseUrl: 'http://127.0.0.1:13013',
  values: { smsc: '' },
  choices: {
    coding: { by: 'encoding', gsm7: '0', ucs2: '2' },
    messageClass: { by: 'flash', yes: '0', no: '' },
  },
  submit: {
    method: 'GET',
    url: '{baseUrl}/cgi-bin/sendsms',
    query: {
      username: '{username}',
      password: '{password}',
      from: '{from}',
      to: '{to}',
      text: '{text}',
      charset: 'UTF-8',
      coding: '{coding}',
      mclass: '{messageClass}',
      smsc: '{smsc}',
      // Delivered, failed, buffered, taken by the SMSC, refused by it.
      'dlr-mask': '31',
      'dlr-url': '{receiptUrl}?id={id}&state=%d&to=%p&answer=%A',
    },
    accepted: {
      status: [200, 202],
      at: 'regex:^(0:|3:|Sent\\.)',
      id: 'own',
      parts: 'regex:Message splits: (\\d+)',
    },
    refusals: [
      { at: 'regex:^Sent\\. Denied receivers', then: 'rejected', as: 'INVALIDDESTINATION' },
      { status: [403], at: 'regex:^Not routable', then: 'passOn', as: 'INVALIDDESTINATION' },
      {
        status: [400],
        at: 'regex:(denied by white- and/or black-lists|receiver number)',
        then: 'rejected',
        as: 'INVALIDDESTINATION',
      },
      { status: [400], at: 'regex:^(DLR-URL|DLR-Mask|Coding|Account) ', then: 'down' },
      // It could not be handed over to bearerbox.
      { status: [500], at: 'regex:^Sending failed', then: 'retry' },
    ],
  },
  receipts: {
    id: '/id',
    state: '/state',
    states: { 1: 'DELIVERED', 2: 'UNDELIVERABLE', 4: 'SENT', 8: 'SENT', 16: 'REJECTED', 32: 'SENT' },
    // In `answer`: the network's code of a receipt, or the command_status of a refusal by the SMSC.
    error: 'regex:answer=.*?(?:err%3A|NACK%2F)([0-9A-Za-z]+)',
    errors: {
      '0x0000000a': 'REJECTED',
      '0x0000000b': 'INVALIDDESTINATION',
    },
    recipient: '/to',
  },
  incoming: { id: '/id', from: '/from', to: '/to', text: '/text' },
};
