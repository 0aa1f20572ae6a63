import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WholeApp } from '../harness/app.ts';
import { eachEngine } from '../harness/engines.ts';
import { keyPath, sendOne, statusPath } from '../harness/messaging.ts';
import { chanceSeed, longRunMs, runsFactor } from '../harness/runs.ts';
import { type Report, runCampaign } from './campaign.ts';
import type { KnownCredentials } from './credentials.ts';
import { faultsOfLog, startTarget } from './target.ts';

/** What is asked is the same at both: the second engine answers a part of it. */
const requestsAt = { sqlite: 28_000 * runsFactor, postgres: 7_000 * runsFactor };
/** The same each time, since luck must not decide about a change; `npm run fuzz` looks further. */
const seed = chanceSeed;
/** Credentials over plain HTTP are refused with 403 as well, but too seldom to be counted on. */
const needsNoRole = (call: string) => /apikey|svcaddressbook/.test(call);
/** Most of its calls name something that is not there: who may is told by the table of `who-may.test.ts`. */
const isManagement = (call: string) => call.includes(' /api/v1/');
const hasNoParameters = (call: string) => /(listaddressbooks|querydomains)$/.test(call);
const forwardedFrom = (address: string) => ({ 'x-forwarded-for': address, 'x-forwarded-proto': 'https' });

eachEngine(`requests made from the OpenAPI document, seed ${seed}`, (engine) => {
  const requests = requestsAt[engine];
  let app: WholeApp;
  let known: KnownCredentials;
  let report: Report;
  let pid: number | undefined;

  beforeAll(async () => {
    ({ app, known } = await startTarget(engine));
    pid = app.pid;
    report = await runCampaign(app, { requests, seed, connections: 16, known });
  }, longRunMs(300_000));
  afterAll(() => app?.close());

  test('[CONV-3] [CONV-8] [CONV-10] [CONV-11] every call is answered; each answer is declared, in its form, and discreet', () => {
    expect(report.findings).toEqual([]);
    expect(report.requests).toBeGreaterThanOrEqual(requests);
  });

  if (requests === requestsAt.sqlite)
    test('[CONV-2] they reach every call, with success and with every common refusal', () => {
      const calls = [...new Set([...report.answers.keys()].map((key) => key.replace(/ \d+$/, '')))];
      const ofService = calls.filter((call) => call !== 'other' && !isManagement(call));
      const missing = calls
        .filter((call) => call !== 'other')
        .map((call) => `${call} 401`)
        .concat(ofService.map((call) => `${call} ${needsNoRole(call) ? 200 : 403}`))
        .concat(ofService.filter((call) => !hasNoParameters(call)).map((call) => `${call} 400`))
        .filter((answer) => !report.answers.has(answer));
      expect(missing).toEqual([]);
      for (const call of ['GET /restsms/svcrest/send', 'POST /restsms/svcrest/send'])
        expect(report.answers.get(`${call} 200`), call).toBeGreaterThan(0);
      expect(report.codes.size).toBeGreaterThan(20);
    });

  test('[DLV-8] afterwards the same process still serves, within its memory', async () => {
    expect(app.pid).toBe(pid);
    await sendOne(app.as(known.users[1]));
    expect(report.peakMemoryMiB).toBeLessThan(700);
    // Hardly any, but for the moments in which a machine itself stands still.
    const refused = [...report.answers].filter(([answer]) => answer.endsWith(' 503'));
    expect(refused.reduce((sum, [, times]) => sum + times, 0)).toBeLessThan(requests / 10);
  });

  test('[RUN-4] the log holds no fault of the service, no text and no secret', () => {
    expect(faultsOfLog(app.stderr, known)).toEqual([]);
  });

  test('[AUTH-6] [CONV-11] who guesses from one address is told to wait; keys and known passwords go on', async () => {
    const [, bob] = known.users;
    const guesser = forwardedFrom('203.0.113.7');
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 60; attempt++) {
      const answer = await app
        .as({ username: `guessed${attempt}`, password: 'a guess' })
        .get(statusPath, '', guesser);
      statuses.push(answer.status);
      if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(statuses.at(-1)).toBe(429);
    const key = known.apiKeys[1] as string;
    expect(await app.as({ key }).get(statusPath, '', guesser)).toMatchObject({ status: 200 });
    expect(await app.as(bob).get(keyPath, { name: 'fuzz' }, guesser)).toMatchObject({ status: 200 });
  });
});
