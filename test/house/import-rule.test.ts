import { describe, expect, test } from 'vitest';
import { rooms } from './rooms.ts';
import { filesBelow, parsedSources, type Source } from './sources.ts';

/** `src/accounts/store.ts` is in the room `accounts`; files of `src/` itself and of `src/commands/` compose the rooms. */
function roomOf(path: string): string | undefined {
  const [, folder, file] = path.split('/');
  return file === undefined || folder === 'commands' ? undefined : folder;
}

/** SQL and parameter tables are a room's own affair. */
const privateToRoom = /\/(.+-)?(store|endpoints)\.ts$/;

function faultsOf(source: Source): string[] {
  const room = roomOf(source.path);
  if (room === undefined) return [];
  const rank = rooms.indexOf(room as (typeof rooms)[number]);
  return source.uses.flatMap(({ path, line }) => {
    const used = roomOf(path);
    if (used === room) return [];
    const where = `${source.path}:${line} uses ${path}`;
    if (!path.startsWith('src/')) return [`${where}, which is not part of the program`];
    if (used === undefined) return [`${where}, which composes the rooms and is in none of them`];
    if (rooms.indexOf(used as (typeof rooms)[number]) > rank)
      return [`${where}, but ${used} comes after ${room}`];
    // `storage` is a room whose nouns happen to be stores.
    if (used !== 'storage' && privateToRoom.test(path)) return [`${where}, which is private to ${used}`];
    return [];
  });
}

describe('the house', () => {
  test('every folder of the source is a room in the order of rooms, or composes them', () => {
    const folders = new Set(filesBelow('src').flatMap((path) => roomOf(path) ?? []));
    expect([...folders].filter((folder) => !rooms.includes(folder as never))).toEqual([]);
  });

  test('imports run one way: a room uses those before it, and nobody’s store or endpoints but its own', () => {
    const sources = parsedSources('src').filter(({ path }) => !path.endsWith('.test.ts'));
    expect(sources.flatMap(({ uses }) => uses).length).toBeGreaterThan(20);
    expect(sources.flatMap(faultsOf)).toEqual([]);
  });
});
