import { expect, test } from 'vitest';
import type { StatusName } from '../message.ts';
import { explainReceipt } from './explain.ts';

const written =
  'id:7f3a sub:001 dlvrd:000 submit date:2611231357 done date:20261123140159 stat:UNDELIV err:027 text:Your code is';

function explained(receipt: string, status: StatusName | undefined) {
  return explainReceipt(receipt, status, 'en').map(({ name, value, meaning }) => [name, value, meaning]);
}

test('[DLV-5] [PORT-4] The explanation of a receipt gives the meaning of each field, in order', () => {
  expect(explained(written, 'ABSENTSUBSCRIBER')).toEqual([
    ['id', '7f3a', "The carrier's id for the message."],
    ['sub', '001', 'How many parts the carrier counted when it took the message.'],
    ['dlvrd', '000', 'How many of them had been delivered when it wrote this.'],
    [
      'submit date',
      '2611231357',
      "When the carrier took the message. 2026-11-23 13:57 on the carrier's clock.",
    ],
    [
      'done date',
      '20261123140159',
      "When the message reached its final status. 2026-11-23 14:01 on the carrier's clock.",
    ],
    ['stat', 'UNDELIV', 'It could not be delivered.'],
    ['err', '027', "The carrier's own code, which means ABSENTSUBSCRIBER in its table."],
    ['text', 'Your code is', 'The beginning of the message.'],
  ]);
});

test.each<[string, StatusName | undefined, string, string]>([
  [
    written,
    'UNDELIVERABLE',
    'err',
    "The carrier's own code. Its meaning is not configured here; see the documentation of the carrier.",
  ],
  [
    'id:1 stat:ENROUTE err:027',
    'SENT',
    'err',
    "The carrier's own code. Its meaning is not configured here; see the documentation of the carrier.",
  ],
  ['id:1 stat:DELIVRD err:000', 'DELIVERED', 'err', 'No error.'],
  ['\nmessage_state:2', 'DELIVERED', 'message_state', 'The phone has received it.'],
  ['\nnetwork_error_code:03001b', 'UNDELIVERABLE', 'network_error_code', 'Code 27 of the network (GSM).'],
  ['\nreceipted_message_id:a b:c', undefined, 'receipted_message_id', "The carrier's id for the message."],
  ['id:1 stat:NONSENSE', undefined, 'stat', ''],
  [
    'id:1 submit date:soon stat:DELIVRD',
    'DELIVERED',
    'submit date',
    "When the carrier took the message. soon on the carrier's clock.",
  ],
])('[DLV-5] The receipt %j as %s is explained: %s is %s', (receipt, status, field, meaning) => {
  expect(explained(receipt, status).find(([name]) => name === field)?.[2]).toBe(meaning);
});
