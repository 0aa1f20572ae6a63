/** Entry of the thread that finds out who sends a large body. */
import { runCredentialThread } from './thread.ts';

runCredentialThread();
