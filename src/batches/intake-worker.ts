/** Entry of the thread that takes batches in. */
import { runIntakeThread } from './intake-thread.ts';

runIntakeThread();
