/** Checks the outcome by the SMSC's own file, which none of our code has written. */
import { setTimeout as delay } from 'node:timers/promises';
import { finalStatusOf } from '../../src/carriers/simulator.ts';
import { status } from '../../src/messages/message.ts';
import type { WholeApp } from '../harness/app.ts';
import { query } from '../harness/messaging.ts';
import type { SmscBook, Submission } from './smsc-book.ts';
import type { SmscProcess } from './smsc-process.ts';
import type { Evidence, Stored } from './verdict.ts';
import type { Witness } from './witness.ts';

export interface SmscFigures {
  readonly taken: number;
  /** Repeated submissions of messages that are in doubt. */
  readonly takenAgain: number;
  readonly receipts: number;
  readonly receiptsRepeated: number;
}

const sent = 1;
const receiptsTimeoutMs = 40_000;

export async function judgeSmsc(
  witness: Witness,
  app: WholeApp,
  smsc: SmscProcess,
  { messages }: Evidence,
): Promise<SmscFigures> {
  const book = await untilAllAnswered(smsc);
  const owed = book.unanswered().filter(({ to }) => finalStatusOf(to) !== sent);
  witness.blame('every receipt is taken in the end', ...owed.map(({ id, to }) => `${id} of ${to}`));
  // Every recipient of the trial is sent to only once.
  const byRecipient = new Map(messages.map((message) => [message.to, message]));
  const known = book.submissions.filter(({ to }) => byRecipient.has(to));
  const unknown = book.submissions.filter(({ to }) => !byRecipient.has(to));
  witness.blame('nothing reaches the SMSC that is not stored', ...unknown.map(({ to }) => to));
  const takenAgain = judgeRepeats(witness, known, byRecipient);
  judgeWholeness(witness, known, messages);
  const ids = new Set(book.submissions.map(({ id }) => id));
  const parts = await query(app, 'SELECT carrier_message_id FROM message_parts');
  const invented = parts
    .map((row) => String(row.carrier_message_id).toLowerCase())
    .filter((id) => !ids.has(id));
  witness.blame('nothing counts as taken that the SMSC did not take', ...invented);
  const total = [...book.receipts.values()].reduce((sum, times) => sum + times, 0);
  return {
    taken: book.submissions.length,
    takenAgain,
    receipts: book.receipts.size,
    receiptsRepeated: total - book.receipts.size,
  };
}

/** Receipts of second submissions of messages in doubt arrive after the messages themselves have ended. */
async function untilAllAnswered(smsc: SmscProcess): Promise<SmscBook> {
  const deadline = Date.now() + receiptsTimeoutMs;
  for (;;) {
    const book = smsc.read();
    const isAll = book.unanswered().every(({ to }) => finalStatusOf(to) === sent);
    if (isAll || Date.now() > deadline) return book;
    await delay(500);
  }
}

function judgeRepeats(
  witness: Witness,
  submissions: readonly Submission[],
  byRecipient: ReadonlyMap<string, Stored>,
): number {
  const seen = new Set<string>();
  let again = 0;
  for (const { to, part, text } of submissions) {
    const key = `${to} ${part} ${text}`;
    const isAgain = seen.has(key);
    seen.add(key);
    if (!isAgain) continue;
    again += 1;
    const message = byRecipient.get(to);
    if (message?.inDoubt !== true)
      witness.blame('nothing reaches the SMSC twice unless it is in doubt', `${message?.id}, part ${part}`);
  }
  return again;
}

/** A phone joins the parts by their reference, so all parts must have the same one, even across restarts and binds. */
function judgeWholeness(
  witness: Witness,
  submissions: readonly Submission[],
  messages: readonly Stored[],
): void {
  const byRecipient = new Map<string, Submission[]>();
  for (const one of submissions) byRecipient.set(one.to, [...(byRecipient.get(one.to) ?? []), one]);
  for (const { id, to, parts, ...message } of messages) {
    const own = byRecipient.get(to) ?? [];
    if (new Set(own.map(({ reference }) => reference)).size > 1)
      witness.blame('the parts of a message have one reference', id);
    if (message.status === status.DELIVERED && new Set(own.map(({ part }) => part)).size !== parts)
      witness.blame('what is delivered reached the SMSC as a whole', id);
  }
}
