/** The entry of the store's threads under test: the verbs of all rooms and those in the files `*-verbs.ts` beside it. */
import { readdirSync } from 'node:fs';
import { runSqliteWorker } from '../../src/storage/sqlite/worker.ts';
import { verbsOf } from '../../src/storage/verb.ts';
import { verbs } from '../../src/verbs.ts';

const here = new URL('./', import.meta.url);
const modules: object[] = [];
for (const name of readdirSync(here).filter((file) => file.endsWith('-verbs.ts'))) {
  modules.push(await import(String(new URL(name, here))));
}
runSqliteWorker(new Map([...verbs, ...verbsOf(...modules)]));
