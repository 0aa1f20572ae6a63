/** Entry point of the embedded store's threads; it loads the verbs of all rooms. */
import { runSqliteWorker } from '../storage/sqlite/worker.ts';
import { verbs } from './verbs.ts';

runSqliteWorker(verbs);
