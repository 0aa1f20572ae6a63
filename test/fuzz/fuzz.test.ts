import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WholeApp } from '../harness/app.ts';
import { eachEngine } from '../harness/engines.ts';
import { keyPath, sendOne, statusPath } from '../harness/messaging.ts';
import { chanceSeed, longRunMs, runsFactor } from '../harness/runs.ts';
import { type Report, runCampaign } from './campaign.ts';
import type { KnownCredentials } from './credentials.ts';
import { faultsOfLog, startTarget } from './target.ts';

/** The requests are the same for both engines; the second gets only some of them. */
const requestsAt = { sqlite: 28_000 * runsFactor, postgres: 7_000 * runsFactor };
/** Fixed, so that a change does not pass or fail by chance; `npm run fuzz` searches further. */
const seed = chanceSeed;
/** These calls answer 403 only to credentials over plain HTTP, which is too rare to rely on. */
const needsNoRole = (call: string) => /apikey|svcaddressbook/.test(call);
/** Most random calls ask for things that do not exist; the table in `who-may.test.ts` covers who may make which call. */
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

  test('[CONV-3] [CONV-8] [CONV-10] [CONV-11] Every random call is answered as declared, in the declared form, and reveals no secret', () => {
    expect(report.findings).toEqual([]);
    expect(report.requests).toBeGreaterThanOrEqual(requests);
  });

  if (requests === requestsAt.sqlite)
    test('[CONV-2] The random calls reach every endpoint, with success and with every common refusal', () => {
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

  test('[DLV-8] After the random calls the same process still serves, within its memory', async () => {
    expect(app.pid).toBe(pid);
    await sendOne(app.as(known.users[1]));
    expect(report.peakMemoryMiB).toBeLessThan(700);
    // There are hardly any such responses, except while the machine itself stalls.
    const refused = [...report.answers].filter(([answer]) => answer.endsWith(' 503'));
    expect(refused.reduce((sum, [, times]) => sum + times, 0)).toBeLessThan(requests / 10);
  });

  test('[RUN-4] After the random calls the log holds no fault of the service, no text and no secret', () => {
    expect(faultsOfLog(app.stderr, known)).toEqual([]);
  });

  test('[AUTH-6] [CONV-11] A client that guesses from one address gets 429, while API keys and known passwords go on working', async () => {
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
