/** The entry point of a thread that answers each request with its input, refuses it, or ends. */
import { ServiceError } from '../../src/foundation/errors.ts';
import { answerCalls } from '../../src/foundation/thread.ts';

answerCalls(async (ask: string) => {
  if (ask === 'end') process.exit(1);
  if (ask === 'refuse') throw new ServiceError('not_found', 'There is none.');
  if (ask === 'fail') throw new Error('a fault of ours');
  return `${ask}!`;
});
