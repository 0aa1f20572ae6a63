/**
 * The entry point of an intake thread that exits when a body contains a certain word, as it would when running out of
 * memory.
 */
import { parentPort } from 'node:worker_threads';
import { runIntakeThread } from '../../src/batches/intake/thread.ts';

export const deadlyWord = 'poison';

parentPort?.on('message', ({ ask }: { ask: { blocks?: readonly Uint8Array[] } }) => {
  if (ask.blocks?.some((block) => Buffer.from(block).includes(deadlyWord))) process.exit(1);
});
runIntakeThread();
