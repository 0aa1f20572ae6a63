/** Entry of the threads of the embedded store: it brings the verbs of all rooms. */
import { runSqliteWorker } from '../storage/sqlite/worker.ts';
import { verbs } from './verbs.ts';

runSqliteWorker(verbs);
