import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { places } from './rooms.ts';
import { filesBelow, parsedSources, type Source } from './sources.ts';

const order: readonly string[] = places;

/** The name of the file's place: its own path if the list names it, otherwise its folder. */
function placeOf(path: string): string {
  const inHouse = path.replace(/^src\//, '');
  return order.includes(inHouse) ? inHouse : dirname(inHouse);
}

function roomOf(path: string): string | undefined {
  return placeOf(path).split('/')[0];
}

/** These places put the rooms together and may use anything in them. */
const composing: ReadonlySet<string | undefined> = new Set(['app', 'commands', 'command-line.ts', 'main.ts']);

/** SQL and parameter tables are private to a room. */
const privateToRoom = /\/(.+-)?(store|endpoints)\.ts$/;

function faultsOf(source: Source): string[] {
  const place = placeOf(source.path);
  const room = roomOf(source.path);
  return source.uses.flatMap(({ path, line }) => {
    const where = `${source.path}:${line} uses ${path}`;
    if (!path.startsWith('src/')) return [`${where}, which is not part of the program`];
    const used = placeOf(path);
    if (order.indexOf(used) > order.indexOf(place)) return [`${where}, but ${used} comes after ${place}`];
    // In the room `storage`, files named after stores are not private.
    const isOpen = roomOf(path) === room || roomOf(path) === 'storage' || composing.has(room);
    return isOpen || !privateToRoom.test(path) ? [] : [`${where}, which is private to ${roomOf(path)}`];
  });
}

/** The portal rooms that have pages. */
const portalRooms = filesBelow('portal/src').flatMap(
  (path) => /^portal\/src\/([\w-]+)\/routes\.ts$/.exec(path)?.[1] ?? [],
);

/** The portal's reading order. Its rooms come before `app` and do not use each other. */
const portalOrder: readonly (readonly string[])[] = [
  ...['browser', 'words', 'api', 'design', 'routing', 'session', 'sending'].map((ground) => [ground]),
  portalRooms,
  ['app'],
];

const portalRoomOf = (path: string) => path.split('/')[2] ?? '';
const placeInPortal = (room: string) => portalOrder.findIndex((rooms) => rooms.includes(room));

function faultsInPortal(source: Source): string[] {
  const room = portalRoomOf(source.path);
  return source.uses.flatMap(({ path, line }) => {
    const where = `${source.path}:${line} uses ${path}`;
    if (!path.startsWith('portal/')) {
      const statement = source.text.split('\n').slice(0, line).join('\n');
      const isType = statement.slice(statement.lastIndexOf('import')).startsWith('import type');
      const isPure = path.startsWith('src/wire/') || path === 'src/foundation/sentences.ts';
      return isType || isPure ? [] : [`${where}, of which it may have types alone`];
    }
    const used = portalRoomOf(path);
    const isEarlier = placeInPortal(used) < placeInPortal(room);
    return used === room || isEarlier ? [] : [`${where}, but ${used} does not come before ${room}`];
  });
}

/** Import cycles, each once, as the list of files in the cycle. */
function circlesOf(sources: readonly Pick<Source, 'path' | 'uses'>[]): string[] {
  const usesOf = new Map(sources.map(({ path, uses }) => [path, uses.map((use) => use.path)]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(' → '));
    if (done.has(path)) return;
    done.add(path);
    for (const used of usesOf.get(path) ?? []) visit(used, [...way, path]);
  };
  for (const path of usesOf.keys()) visit(path, []);
  return circles;
}

describe('the house', () => {
  test('Every file of the source has a place in the import order, and every place exists', () => {
    const taken = new Set(filesBelow('src').map((path) => placeOf(path.replace('.test.ts', '.ts'))));
    expect([...taken].filter((place) => !order.includes(place))).toEqual([]);
    expect(order.filter((place) => !taken.has(place))).toEqual([]);
  });

  test('The places of a room are adjacent in the import order, so that rooms have one order too', () => {
    const rooms = order.map((place) => place.split('/')[0]);
    const again = rooms.filter((room, at) => room !== rooms[at - 1] && rooms.indexOf(room) < at);
    expect(again).toEqual([]);
  });

  test('Imports run one way, between rooms and within them, and never to the store or endpoints of another room', () => {
    const sources = parsedSources('src').filter(({ path }) => !path.endsWith('.test.ts'));
    expect(sources.flatMap(({ uses }) => uses).length).toBeGreaterThan(20);
    expect(sources.flatMap(faultsOf)).toEqual([]);
  });

  test('Imports of the portal run one way, and take only types and pure grammar from the server', () => {
    const sources = parsedSources('portal/src');
    const unknown = [...new Set(sources.map(({ path }) => portalRoomOf(path)))].filter(
      (room) => placeInPortal(room) < 0,
    );
    expect(unknown).toEqual([]);
    expect(sources.flatMap(faultsInPortal)).toEqual([]);
  });

  test('No file imports itself by way of others, not even for a type only', () => {
    expect(circlesOf(parsedSources('src', 'portal/src', 'test', 'bench', 'scripts'))).toEqual([]);
  });

  test('A circle of imports is found wherever the search enters it', () => {
    const file = (path: string, ...uses: string[]) => ({
      path,
      uses: uses.map((used) => ({ path: used, line: 1 })),
    });
    const round = [file('a', 'b', 'd'), file('b', 'c'), file('c', 'd', 'b'), file('d')];
    expect(circlesOf(round)).toEqual(['b → c → b']);
    expect(circlesOf([...round].reverse())).toEqual(['c → b → c']);
    expect(circlesOf([file('a', 'b', 'c'), file('b', 'c'), file('c')])).toEqual([]);
  });
});
