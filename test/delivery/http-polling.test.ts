/** A carrier that calls nobody, at a server that asks it, and at two nodes of which one asks for SMS from phones. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HttpUpstream, type Submission } from '../carriers/http-upstream.ts';
import { alice, startWholeApp, type WholeApp } from '../harness/app.ts';
import { until } from '../harness/awake.ts';
import { eachEngine } from '../harness/engines.ts';
import { incomingPath, query, recipient, sendOne, statusesOf } from '../harness/messaging.ts';

const provisioning = (baseUrl: string) => `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    users:
      - { username: alice, password: "alice's long password", roles: [send] }
carriers:
  - name: up
    type: http
    baseUrl: ${baseUrl}
    submit: { url: "{baseUrl}/send", json: { text: "{text}" }, accepted: { id: /id } }
    receipts: { id: /id, state: /state, states: { sent: SENT, delivered: DELIVERED }, poll: { url: "{baseUrl}/sent/{carrierId}", everyMs: 1000 } }
    incoming: { each: /sms, id: /id, from: /from, to: /to, text: /text, poll: { url: "{baseUrl}/inbox", everyMs: 1000, acknowledge: { url: "{baseUrl}/inbox/{incomingId}" } } }
routes:
  - { name: all, prefix: "", carriers: [up] }
numbers:
  - { number: "46731230001", rentedBy: alice }
`;

eachEngine('a carrier that is asked', (engine) => {
  let upstream: HttpUpstream;
  let app: WholeApp;
  const nodes: WholeApp[] = [];
  let state = 'sent';
  let inbox: readonly object[] = [];

  beforeAll(async () => {
    upstream = await HttpUpstream.listen(({ method, path }: Submission, response) => {
      if (path === '/send') upstream.accept(response, 'up-1');
      else if (path === '/inbox') upstream.answer(response, 200, { sms: inbox });
      else if (method === 'GET') upstream.answer(response, 200, { id: path.slice('/sent/'.length), state });
      else {
        inbox = [];
        upstream.answer(response, 200, {});
      }
    });
    app = await startWholeApp({ engine, provisioning: provisioning(upstream.url) });
    nodes.push(app);
  });
  afterAll(async () => {
    for (const node of nodes) await node.close();
    await upstream?.close();
  });

  const asked = (path: string) => upstream.submissions.filter((one) => one.path === path).length;
  const arrives = async (id: string) => {
    inbox = [{ id, from: '+46701740605', to: '+46731230001', text: `text ${id}` }];
    await until(() => asked(`/inbox/${id}`) > 0);
  };

  test('[HTTPC-3] A message whose state is asked for gets its status, also after a restart', async () => {
    const id = await sendOne(app.as(alice), { to: [recipient(1)] });
    await until(() => asked('/sent/up-1') > 0);
    await app.restart();
    state = 'delivered';
    await until(async () => (await statusesOf(app.as(alice), [id]))[0]?.status === 'DELIVERED');
  });

  test('[HTTPC-3] SMS that the carrier lists arrive once, asked for by one node while it lives', async () => {
    await arrives('a');
    if (engine === 'postgres') {
      const second = await startWholeApp({ engine, besides: app });
      nodes.push(second);
      await arrives('b');
      expect((await query(app, 'SELECT id FROM nodes WHERE ended = 0')).length).toBe(2);
      await app.stop();
      await arrives('c');
    }
    const expected = engine === 'postgres' ? ['a', 'b', 'c'] : ['a'];
    const read = await (nodes.at(-1) as WholeApp).as(alice).get(incomingPath, {});
    expect(read.body.incoming).toMatchObject(expected.map((id) => ({ message: `text ${id}` })));
    for (const id of expected) expect(asked(`/inbox/${id}`)).toBe(1);
  });
});
