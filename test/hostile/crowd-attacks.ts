/** Attacks by many users of one company at once, and by one user who asks for much at once: each keeps to its own bounds. */
import { beginSession, ownPage } from '../harness/browser-session.ts';
import type { Attack, Strike } from './attack.ts';
import { json } from './forms.ts';
import { bytesOf, call } from './raw-call.ts';
import { everybody, matt, type Site } from './site.ts';

/** All at once; answers with what came of them. */
async function callAll({ port }: Site, calls: readonly Buffer[]): Promise<string> {
  const answers = await Promise.all(calls.map((bytes) => call(port, { bytes })));
  return [...new Set(answers)].sort().join(' ');
}

/** Of each user, at once. */
const searchesOfOne = 4;
const searchPath = `/api/v1/addressbooks/12/contacts?q=P&filter=${encodeURIComponent(everybody)}`;

const searching: Attack = {
  name: 'searches by all users of a company',
  by: 'customer',
  cheapest: (site) => search(site, 1),
  worst: (site) => search(site, site.colleagueKeys.length),
};

function search(site: Site, users: number): Strike {
  const calls = site.colleagueKeys.slice(0, users).flatMap((key) => {
    const bytes = bytesOf({ method: 'GET', path: searchPath, headers: { 'x-api-key': key } });
    return Array<Buffer>(searchesOfOne).fill(bytes);
  });
  return () => callAll(site, calls);
}

const previewing: Attack = {
  name: 'import previews by all users of a company',
  by: 'customer',
  cheapest: (site) => preview(site, 1),
  worst: (site) => preview(site, site.colleagueKeys.length),
};

const file = [
  'id;name;phone;tag:team',
  ...Array.from({ length: 2_000 }, (_, index) => `${index + 1};Other ${index};+4673${5_000_000 + index};t1`),
].join('\n');

function preview(site: Site, users: number): Strike {
  const path = '/api/v1/addressbooks/11/import/preview';
  const calls = site.colleagueKeys
    .slice(0, users)
    .map((key) => bytesOf({ path, headers: { 'x-api-key': key, 'content-type': 'text/csv' }, body: file }));
  return () => callAll(site, calls);
}

/** One strike signs in, and sets the password so often at once: one call is done, and ends the session of the others. */
const choosing: Attack = {
  name: 'a thousand changes of a password',
  by: 'customer',
  cheapest: (site) => choose(site, 1),
  worst: (site) => choose(site, 1_000),
};

function choose(site: Site, changes: number): Strike {
  return async () => {
    const { cookie } = await beginSession(site.app, matt);
    const headers = { ...ownPage, cookie, 'content-type': 'application/json' };
    const body = json({ current: matt.password, password: matt.password });
    const bytes = bytesOf({ path: '/portal/api/password', headers, body });
    return callAll(site, Array<Buffer>(changes).fill(bytes));
  };
}

export const crowdAttacks: readonly Attack[] = [searching, previewing, choosing];
