/** Moves the reader of the journal on, in the transaction that puts into the outbox what the journal tells. */
import type { Advanced } from '../../changes/change-reader.ts';
import { isHeld, moveHeldReader } from '../../changes/held-reader.ts';
import { singleWriteVerb } from '../../storage/verb.ts';
import { mailReader } from './mail-reader.ts';

export interface TakeInput {
  readonly nodeId: number;
  /** No further than this place of the journal. */
  readonly to: number;
}

/** `notHeld`: another node reads. */
export const takeChanges = singleWriteVerb(
  'email.takeChanges',
  async (transaction, { nodeId, to }: TakeInput): Promise<Advanced | 'notHeld'> => {
    const reader = await isHeld(transaction, { name: mailReader, nodeId });
    if (typeof reader === 'string') return reader;
    await moveHeldReader(transaction, mailReader, to);
    return { place: to, isMore: false };
  },
);
