/**
 * Attacks by many users of one company at once, and by one user who asks for much at once; each attack stays within its
 * own bounds.
 */
import { Agent, request } from 'node:http';
import { beginSession, ownPage } from '../harness/browser-session.ts';
import type { Attack, Strike } from './attack.ts';
import { json } from './forms.ts';
import type { Request } from './raw-call.ts';
import { everybody, matt, type Site } from './site.ts';
import { manners } from './trial.ts';

/**
 * Makes all the calls at the same time, and resolves with the statuses that occurred. Connections are opened before
 * anything is measured, and kept: opening thousands is another attack. Once the attack is over they end, so that none of
 * them is left during the next attack.
 */
function callerOfAll({ port }: Site, connections: number): (calls: readonly Request[]) => Promise<string> {
  const kept = { keepAlive: true, maxSockets: connections, maxFreeSockets: connections, timeout: idleMs };
  const agent = new Agent(kept);
  for (let index = 0; index < connections; index++)
    void statusOf(port, agent, { method: 'GET', path: '/healthz' });
  return async (calls) => {
    const statuses = await Promise.all(calls.map((one) => statusOf(port, agent, one)));
    return [...new Set(statuses)].sort().join(' ');
  };
}

const patienceMs = 60_000;
/** Longer than any connection is unused while its attack lasts. */
const idleMs = 5_000;

function statusOf(
  port: number,
  agent: Agent,
  { method = 'POST', path, headers = {}, body }: Request,
): Promise<string> {
  return new Promise((resolve) => {
    const sent = request({ port, host: '127.0.0.1', agent, method, path, headers });
    sent.on('response', (response) => {
      response.resume().on('close', () => resolve(String(response.statusCode)));
    });
    sent.setTimeout(patienceMs, () => sent.destroy(new Error('no answer')));
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sent.end(body);
  });
}

/** Maximum number of strikes at the same time. */
const maxStrikes = Math.max(...manners.map(({ concurrency }) => concurrency));

/** Searches of each user at the same time. */
const searchesOfOne = 4;
const searchPath = `/api/v1/addressbooks/12/contacts?q=P&filter=${encodeURIComponent(everybody)}`;

const searching: Attack = {
  name: 'searches by all users of a company',
  by: 'customer',
  cheapest: (site) => search(site, 1),
  worst: (site) => search(site, site.colleagueKeys.length),
};

function search(site: Site, users: number): Strike {
  const calls = site.colleagueKeys
    .slice(0, users)
    .flatMap((key) =>
      Array<Request>(searchesOfOne).fill({ method: 'GET', path: searchPath, headers: { 'x-api-key': key } }),
    );
  const callAll = callerOfAll(site, maxStrikes * calls.length);
  return () => callAll(calls);
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
    .map((key) => ({ path, headers: { 'x-api-key': key, 'content-type': 'text/csv' }, body: file }));
  const callAll = callerOfAll(site, maxStrikes * calls.length);
  return () => callAll(calls);
}

/**
 * One strike signs in, and sets the password this many times at once: one call succeeds, and ends the session that the
 * others use.
 */
const choosing: Attack = {
  name: 'a thousand changes of a password',
  by: 'customer',
  cheapest: (site) => choose(site, 1),
  worst: (site) => choose(site, 1_000),
};

function choose(site: Site, changes: number): Strike {
  const callAll = callerOfAll(site, changes);
  return async () => {
    const { cookie } = await beginSession(site.app, matt);
    const headers = { ...ownPage, cookie, 'content-type': 'application/json' };
    const body = json({ current: matt.password, password: matt.password });
    const change = { path: '/portal/api/password', headers, body };
    return callAll(Array<Request>(changes).fill(change));
  };
}

export const crowdAttacks: readonly Attack[] = [searching, previewing, choosing];
