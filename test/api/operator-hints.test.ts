/** Tests the live hints of operators on the wire: what they are told of, whom they never show, and what ends a stream. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { type BrowserSession, beginSession, sessionOf } from '../harness/browser-session.ts';
import { closeStreams, openStream } from '../harness/hint-stream.ts';
import { describeTwoNodes } from '../harness/two-nodes.ts';

const path = '/portal/api/operator/hints';
const signInPath = '/portal/api/operator/session';
const olle = { username: 'olle', password: "olle's long password" };
const anna = { username: 'anna', password: "anna's long password" };
const provisioning = `${standardProvisioning}operators:
  - { username: olle, password: "${olle.password}" }
  - { username: anna, password: "${anna.password}" }
`;
const maxOfOperator = 12;

const signIn = (app: WholeApp, who: object) => beginSession(app, who, signInPath);
const hintsOf = (app: WholeApp, session: BrowserSession) => openStream(app, session, path);

afterAll(closeStreams);

describe('hints of operators', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
  });
  afterAll(() => app?.close());

  test('[PORT-3] [PORT-4] An operator is told which lists have changed, and of no company', async () => {
    const page = await hintsOf(app, await signIn(app, olle));
    const isTold = (topic: string) => until(() => page.text.includes(`data: {"topic":"${topic}"}\n`));
    const simulated = await app.run(
      'simulate',
      'incoming',
      '--to',
      '46101',
      '--from',
      '46701740699',
      '--text',
      'Who?',
    );
    expect(simulated.exitCode).toBe(0);
    await isTold('unrouted');
    const changed = provisioning
      .replace('{ name: sim, type: simulator,', '{ name: sim, type: simulator, down: true,')
      .replace('roles: [] }', 'roles: [send] }');
    expect((await app.apply(changed)).stderr).toBe('');
    for (const topic of ['carriers', 'routes', 'companies', 'numbers']) await isTold(topic);
    const told = page.text.split('\r\n').filter((line) => line.startsWith('data:'));
    expect(told.every((line) => /^data: \{"topic":"[a-z]+"\}$/.test(line.trim()))).toBe(true);
    expect(page.text).not.toMatch(/Who\?|Nordic|alice/);
    expect((await app.apply(provisioning)).stderr).toBe('');
  });

  test('[PORT-3] [PORT-4] An operator may have a limited number of live streams, and a user none of them', async () => {
    const session = await signIn(app, anna);
    const streams = await Promise.all(Array.from({ length: maxOfOperator }, () => hintsOf(app, session)));
    expect(streams.every(({ text }) => text.includes(': open'))).toBe(true);
    const refused = await hintsOf(app, session);
    expect(refused.text).toMatch(/^HTTP\/1.1 503 /);
    for (const stream of streams) stream.leave();
    await until(async () => (await hintsOf(app, session)).text.includes(': open'));
    const user = await beginSession(app, alice);
    expect((await hintsOf(app, user)).text).toMatch(/^HTTP\/1.1 401 /);
  });

  test('[PORT-2] [PORT-3] A stream ends with its session, and those of other sessions go on', async () => {
    const [here, there] = [await signIn(app, olle), await signIn(app, olle)];
    const [own, other] = [await hintsOf(app, here), await hintsOf(app, there)];
    await here.delete(signInPath);
    await until(() => own.isEnded);
    expect(other.isEnded).toBe(false);
    expect((await app.apply(provisioning.replace(olle.password, 'another long password'))).stderr).toBe('');
    await until(() => other.isEnded);
  });
});

describeTwoNodes('hints of operators', provisioning, (nodes) => {
  test('[PORT-3] [PORT-4] An operator’s page at one node is told of what happens at the other, and ends with its session there', async () => {
    const { first, second } = nodes;
    const here = await signIn(first, olle);
    const page = await hintsOf(second, sessionOf(second, here.begun));
    const isTold = (topic: string) => until(() => page.text.includes(`"topic":"${topic}"`));
    const incoming = ['--to', '46101', '--from', '46701740699', '--text', 'Who?'];
    expect((await first.run('simulate', 'incoming', ...incoming)).exitCode).toBe(0);
    await isTold('unrouted');
    await here.delete(signInPath);
    await until(() => page.isEnded);
    const again = await hintsOf(first, await signIn(first, olle));
    await second.stop();
    await until(() => again.text.includes('"topic":"nodes"'));
  });
});
