/** The entry of the store's threads under test: the verbs of all rooms and those in the files `*-verbs.ts` beside it. */
import { existsSync, readdirSync } from 'node:fs';
import { runSqliteWorker } from '../../src/storage/sqlite/worker.ts';
import { verbsOf } from '../../src/storage/verb.ts';
import { rooms } from '../house/rooms.ts';

const source = new URL('../../src/', import.meta.url);
const ofStorage = ['ids.ts', 'news.ts'].map((file) => new URL(`storage/${file}`, source));
const ofRooms = rooms
  .filter((room) => room !== 'storage')
  .flatMap((room) => files(new URL(`${room}/`, source), /^(.+-)?store\.ts$/));
const ofTests = files(new URL('./', import.meta.url), /-verbs\.ts$/);

function files(folder: URL, pattern: RegExp): URL[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => pattern.test(name)).map((name) => new URL(name, folder));
}

const modules: object[] = [];
for (const module of [...ofStorage, ...ofRooms, ...ofTests]) modules.push(await import(String(module)));
runSqliteWorker(verbsOf(...modules));
