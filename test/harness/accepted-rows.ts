/** Rows of messages as sending hands them to the store; what a test does not give is that of one which waits. */
import { charge, lane, stage, status } from '../../src/messages/message.ts';
import {
  type AcceptedRow,
  acceptedRow,
  type MessageToAccept,
} from '../../src/messages/sending/accepted-row.ts';

export function testRow(given: Partial<MessageToAccept> & Pick<MessageToAccept, 'id'>): AcceptedRow {
  return acceptedRow({
    company_id: 1,
    user_id: 10,
    recipient: '46701740600',
    sender: 'Sender',
    text: 'Text',
    flash: 0,
    parts: 1,
    conversation: '',
    cost_center: '',
    created_at: 1_000,
    expires_at: 1_000_000,
    status: status.QUEUED,
    changed_at: 1_000,
    version: 1,
    unread: 1,
    expired_by_timer: 0,
    carrier_id: 1,
    lane: lane.interactive,
    stage: stage.waiting,
    due_at: 1_000,
    attempts: 0,
    charge: charge.reserved,
    in_doubt: 0,
    node_id: null,
    ...given,
  });
}
