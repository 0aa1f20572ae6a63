/** Message rows as sending passes them to the store; fields that a test leaves out default to those of a queued message. */
import { charge, lane, stage, status } from '../../src/messages/message.ts';
import {
  type AcceptedRow,
  acceptedColumns,
  acceptedRow,
  type MessageToAccept,
} from '../../src/messages/sending/accepted-row.ts';

const blank = Object.fromEntries(
  Object.entries(acceptedColumns).map(([name, type]) => [name, type === 'text' ? '' : 0]),
) as MessageToAccept;

export function testRow(given: Partial<MessageToAccept> & Pick<MessageToAccept, 'id'>): AcceptedRow {
  return acceptedRow({
    ...blank,
    company_id: 1,
    user_id: 10,
    recipient: '46701740600',
    sender: 'Sender',
    text: 'Text',
    parts: 1,
    created_at: 1_000,
    expires_at: 1_000_000,
    status: status.QUEUED,
    changed_at: 1_000,
    version: 1,
    unread: 1,
    carrier_id: 1,
    lane: lane.interactive,
    stage: stage.waiting,
    due_at: 1_000,
    charge: charge.reserved,
    node_id: null,
    ...given,
  });
}
