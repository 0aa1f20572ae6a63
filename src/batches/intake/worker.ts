/** Entry of the thread that takes batches in. */
import { runIntakeThread } from './thread.ts';

runIntakeThread();
