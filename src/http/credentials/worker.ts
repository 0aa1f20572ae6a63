/** The entry file of the thread that identifies the senders of large bodies. */
import { runCredentialThread } from './picker.ts';

runCredentialThread();
