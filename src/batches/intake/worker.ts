/** Entry point of the batch intake thread. */
import { runIntakeThread } from './thread.ts';

runIntakeThread();
