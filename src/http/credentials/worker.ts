/** Entry of the thread that finds out who sends a large body. */
import { runCredentialThread } from './picker.ts';

runCredentialThread();
