/**
 * Infobip SMS v3, https://www.infobip.com/docs/api/channels/sms, https://www.infobip.com/docs/essentials/api-essentials/
 * response-status-and-error-codes. It takes an id of ours once: a repetition is answered with the status 23, whether the message
 * was taken or refused before. What it has refused is therefore never offered again, but passed on, even where only credit is
 * missing. A validity is not given, because it is refused above 48 hours. Its calls are not signed.
 */
import type { Preset } from '../settings.ts';

const status = '/messages/0/status/id';

export const infobip: Preset = {
  submit: {
    url: '{baseUrl}/sms/3/messages',
    headers: { Authorization: 'App {password}', Accept: 'application/json' },
    json: {
      messages: [
        {
          sender: '{from}',
          destinations: [{ to: '{to}', messageId: '{key}' }],
          content: { text: '{text}' },
          options: { flash: '{flash}' },
          webhooks: { delivery: { url: '{receiptUrl}' }, contentType: 'application/json' },
        },
      ],
      options: { includeSmsCountInResponse: true },
    },
    accepted: {
      status: [200],
      at: '/messages/0/status/groupId',
      is: ['0', '1', '3'],
      id: 'key',
      parts: '/messages/0/details/messageCount',
    },
    refusals: [
      { at: status, is: ['23'], then: 'accepted' },
      { at: status, is: ['8', '51', '52'], then: 'rejected', as: 'INVALIDDESTINATION' },
      { at: status, is: ['6'], then: 'passOn', as: 'INVALIDDESTINATION' },
      // Senders, test accounts, floods, texts that are too long.
      { at: status, is: ['11', '13', '18', '20', '25'], then: 'passOn' },
      // No credits, a package that has expired, no routes for the account, faults of the service.
      { at: status, is: ['12', '17', '19', '21', '100'], then: 'passOn', as: 'ERROR' },
      { at: '/messages/0/status/groupId', is: ['5'], then: 'rejected' },
      { at: '/messages/0/status/groupId', is: ['2', '4'], then: 'rejected', as: 'UNDELIVERABLE' },
    ],
    idempotent: true,
  },
  receipts: {
    each: '/results',
    id: '/messageId',
    state: '/status/name',
    states: {
      PENDING_ACCEPTED: 'SENT',
      PENDING_ENROUTE: 'SENT',
      PENDING_WAITING_DELIVERY: 'SENT',
      DELIVERED_TO_OPERATOR: 'SENT',
      DELIVERED_TO_HANDSET: 'DELIVERED',
      UNDELIVERABLE_REJECTED_OPERATOR: 'UNDELIVERABLE',
      UNDELIVERABLE_NOT_DELIVERED: 'UNDELIVERABLE',
      UNDELIVERABLE_NOT_SENT: 'UNDELIVERABLE',
      UNDELIVERABLE_REJECTED_PLATFORM: 'REJECTED',
      EXPIRED_EXPIRED: 'EXPIRED',
      EXPIRED_DLR_UNKNOWN: 'UNKNOWN',
      SIGNALS_BLOCKED: 'REJECTED',
      REJECTED_NETWORK: 'INVALIDDESTINATION',
      REJECTED_PREFIX_MISSING: 'INVALIDDESTINATION',
      REJECTED_DESTINATION: 'INVALIDDESTINATION',
      REJECTED_DND: 'REJECTED',
      REJECTED_SOURCE: 'REJECTED',
      REJECTED_NOT_ENOUGH_CREDITS: 'REJECTED',
      REJECTED_SENDER: 'REJECTED',
      REJECTED_DESTINATION_BLOCKLISTED: 'REJECTED',
      REJECTED_PREPAID_PACKAGE_EXPIRED: 'REJECTED',
      REJECTED_DESTINATION_NOT_REGISTERED: 'REJECTED',
      REJECTED_ROUTE_NOT_AVAILABLE: 'REJECTED',
      REJECTED_FLOODING_FILTER: 'REJECTED',
      REJECTED_SYSTEM_ERROR: 'ERROR',
      REJECTED_INVALID_UDH: 'REJECTED',
      REJECTED_MESSAGE_TOO_LONG: 'REJECTED',
    },
    error: '/error/name',
    errors: {
      EC_UNKNOWN_SUBSCRIBER: 'UNKNOWNSUBSCRIBER',
      EC_UNIDENTIFIED_SUBSCRIBER: 'UNKNOWNSUBSCRIBER',
      EC_DEACTIVATED_LIST: 'UNKNOWNSUBSCRIBER',
      EC_ABSENT_SUBSCRIBER: 'ABSENTSUBSCRIBER',
      EC_ABSENT_SUBSCRIBER_SM: 'ABSENTSUBSCRIBER',
      EC_ILLEGAL_SUBSCRIBER: 'SUBSCRIBERERROR',
      EC_ILLEGAL_EQUIPMENT: 'SUBSCRIBERERROR',
      EC_TELESERVICE_NOT_PROVISIONED: 'SUBSCRIBERERROR',
      EC_CALL_BARRED: 'SUBSCRIBERERROR',
      EC_SUBSCRIBER_BUSY_FOR_MT_SMS: 'SUBSCRIBERERROR',
      EC_SM_DF_MEMORYCAPACITYEXCEEDED: 'SUBSCRIBERERROR',
      EC_USER_OUT_OF_CREDIT: 'SUBSCRIBERERROR',
      EC_DEST_ADDRESS_UNABLE_TO_RECEIVE_SMS: 'INVALIDDESTINATION',
      EC_INVALID_DESTINATION_ADDRESS: 'INVALIDDESTINATION',
      EC_INVALID_REQUEST_DESTINATION: 'INVALIDDESTINATION',
      EC_OPERATOR_NOT_FOUND: 'INVALIDDESTINATION',
    },
    recipient: '/to',
  },
  incoming: { each: '/results', id: '/messageId', from: '/from', to: '/to', text: '/text' },
};
