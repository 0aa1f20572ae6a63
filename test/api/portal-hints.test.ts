/** Tests live hints of the portal on the wire: how many streams each user may have, and what ends them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alice, bob, standardProvisioning, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { type BrowserSession, beginSession, sessionOf } from '../harness/browser-session.ts';
import { closeStreams, openStream } from '../harness/hint-stream.ts';
import { sendOne, sendPath } from '../harness/messaging.ts';
import { describeTwoNodes } from '../harness/two-nodes.ts';

const maxOfUser = 12;

const openStreams = (app: WholeApp, session: BrowserSession, count: number) =>
  Promise.all(Array.from({ length: count }, () => openStream(app, session)));

afterAll(closeStreams);

describe('hints of the portal', () => {
  const users = Array.from({ length: 9 }, (_, at) => ({
    username: `user${at}`,
    password: `a long password ${at}`,
  }));
  let app: WholeApp;
  beforeAll(async () => {
    const written = users.map(
      ({ username, password }) =>
        `      - { username: ${username}, password: "${password}", roles: [send] }\n`,
    );
    app = await startWholeApp({
      engine: 'sqlite',
      provisioning: standardProvisioning.replace('carriers:\n', `${written.join('')}carriers:\n`),
    });
  });
  afterAll(() => app?.close());

  test('[PORT-4] A user may have a limited number of live portal streams, and closing one makes room at once', async () => {
    const session = await beginSession(app, alice);
    const streams = await openStreams(app, session, maxOfUser);
    const refused = await openStream(app, session);
    expect(refused.text).toMatch(/^HTTP\/1.1 503 /);
    expect(refused.text).toContain('"code":"overloaded"');
    streams[0]?.leave();
    await until(async () => (await openStream(app, session)).text.includes(': open'));
    for (const stream of streams) stream.leave();
  });

  test('[PORT-2] Live portal streams end with their session, and streams of the user’s other sessions go on', async () => {
    const [here, there] = [await beginSession(app, bob), await beginSession(app, bob)];
    const [own, others] = [await openStreams(app, here, 2), await openStreams(app, there, 2)];
    await here.delete('/portal/api/session');
    await until(() => own.every(({ isEnded }) => isEnded));
    await sendOne(app.as(bob), { message: 'On it goes' });
    await until(() => others.every(({ text }) => text.includes('"topic":"messages"')));
    expect(others.some(({ isEnded }) => isEnded)).toBe(false);
  });

  test('[PORT-4] [RUN-4] Live portal streams end cleanly when the server stops, which waits for none of them', async () => {
    const sessions = await Promise.all(users.map((user) => beginSession(app, user)));
    const streams = await Promise.all(sessions.map((session) => openStreams(app, session, maxOfUser)));
    expect(streams.flat().every(({ text }) => text.includes(': open'))).toBe(true);
    expect(await app.stop()).toBe(0);
    // If the stop had waited for a stream until the deadline, the stream would have been cut off.
    await until(() => streams.flat().every(({ isEnded }) => isEnded));
  });
});

describeTwoNodes('hints of the portal', standardProvisioning, (nodes) => {
  test('[PORT-2] [PORT-4] A live portal stream at one node shows what happens at the other, and ends when its session ends there', async () => {
    const { first, second } = nodes;
    const here = await beginSession(first, alice);
    const page = await openStream(second, sessionOf(second, here.begun));
    const send = () => first.as(alice).post(sendPath, { to: ['46701740655'], message: 'Across' });
    const hints = () => page.text.split('"topic":"messages"').length - 1;
    // The first hint comes when the stream begins, the second when each node knows that somebody is listening.
    await until(() => hints() === 2);
    expect((await send()).status).toBe(200);
    await until(() => hints() > 2);
    await here.delete('/portal/api/session');
    await until(() => page.isEnded);
  });
});
