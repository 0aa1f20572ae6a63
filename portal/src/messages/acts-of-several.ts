/** What can be done with several messages of the log: cancel those that wait, and send again those that failed. */
import { get, post } from '../api/client.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import { Fault } from '../api/fault.ts';
import type { BulkAct } from '../design/selectable-list.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { statusesOf } from './search-parameters.ts';
import { useMessagesWords } from './texts.ts';

type Message = AnswerOf<'GET', '/api/v1/messages'>['messages'][number];

export function useActs(): readonly BulkAct<Message>[] {
  const words = useMessagesWords();
  const maySend = hasOneOf(useSession(), ['send']);
  const cancelling: BulkAct<Message> = {
    label: words.cancelMany,
    look: 'danger',
    question: words.cancelQuestion,
    fits: ({ status }) => statusesOf.waiting.includes(status),
    act: ({ id }) => cancel(id),
    done: words.cancelledMany,
  };
  const sendingAgain: BulkAct<Message> = {
    label: words.sendAgain,
    question: words.againQuestion,
    fits: ({ status }) => statusesOf.failed.includes(status),
    // It may have been delivered since the list was read.
    act: ({ id, status }, idempotencyKey) =>
      post('/api/v1/messages/{id}/resend', { id, ifStatus: status }, { idempotencyKey }),
    done: words.sentAgainMany,
  };
  return maySend ? [cancelling, sendingAgain] : [cancelling];
}

/** A message that is cancelled already is as it should be: the answer to an earlier try may have been lost. */
async function cancel(id: string): Promise<void> {
  try {
    await post('/api/v1/messages/{id}/cancel', { id });
  } catch (fault) {
    if (!(fault instanceof Fault) || fault.code !== 'too_late') throw fault;
    const { messages } = await get('/api/v1/messages', { id });
    if (!messages.some(({ status }) => statusesOf.cancelled.includes(status))) throw fault;
  }
}
