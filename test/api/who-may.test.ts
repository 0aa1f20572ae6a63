/** Who may do what by the management API: its calls × roles × companies. Nothing of another company ever shows. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allEndpoints } from '../../scripts/docs/generated-documents.ts';
import type { Answer, ApiClient } from '../harness/api-client.ts';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { eachEngine } from '../harness/engines.ts';
import { inAnHour, sendOne } from '../harness/messaging.ts';

const user = (username: string, roles: string) =>
  `{ username: ${username}, password: "${username}'s long password", roles: [${roles}] }`;

const provisioning = `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    users:
      - ${user('owner', 'send')}
      - ${user('colleague', 'send')}
      - ${user('administrator', 'send, companyAdmin')}
      - ${user('emailer', 'emailAdmin')}
      - ${user('nobody', '')}
    webhooks: [{ id: desk, url: "http://127.0.0.1:9/", events: [batch.status] }]
  - name: Other
    defaultSender: Other
    users:
      - ${user('stranger', 'send')}
      - ${user('rival', 'send, companyAdmin')}
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
`;

const people = ['owner', 'colleague', 'administrator', 'emailer', 'nobody', 'stranger', 'rival'] as const;
type Person = (typeof people)[number];

/** What only the owner's company may see. */
const secrets = ['secret text', '46701740655', 'owner', 'Nordic'];

interface Row {
  /** `id`: of a message of the owner's that waits for its time. */
  readonly call: (client: ApiClient, id: string) => Promise<Answer>;
  /** In the order of `people`. */
  readonly answers: readonly number[];
}

const ofMessage = [200, 404, 200, 403, 403, 404, 404] as const;
const ofAdministrators = [403, 403, 200, 403, 403, 403, 200] as const;

const rows: Readonly<Record<string, Row>> = {
  '/api/v1/events': {
    call: (client) => client.get('/api/v1/events', { webhook: 'desk' }),
    answers: [403, 403, 200, 403, 403, 403, 404],
  },
  '/api/v1/messages': {
    call: (client) => client.get('/api/v1/messages', { to: '46701740655' }),
    answers: [200, 200, 200, 403, 403, 200, 200],
  },
  '/api/v1/messages/{id}': {
    call: (client, id) => client.get(`/api/v1/messages/${id}`),
    answers: ofMessage,
  },
  '/api/v1/messages/{id}/cancel': {
    call: (client, id) => client.post(`/api/v1/messages/${id}/cancel`),
    answers: ofMessage,
  },
  '/api/v1/messages/{id}/resend': {
    call: (client, id) => client.post(`/api/v1/messages/${id}/resend`),
    answers: ofMessage,
  },
  '/api/v1/audit': { call: (client) => client.get('/api/v1/audit'), answers: ofAdministrators },
};

eachEngine('the management API', (engine) => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine, provisioning });
  });
  afterAll(() => app?.close());

  const as = (username: Person) => app.as({ username, password: `${username}'s long password` });

  test('[PORT-3] has a row here for each of its calls', () => {
    const paths = allEndpoints.map(({ path }) => path).filter((path) => path.startsWith('/api/v1/'));
    expect(Object.keys(rows).sort()).toEqual(paths.sort());
  });

  test.each(Object.entries(rows))(
    '[PORT-3] lets those call %s who may, and shows others nothing',
    async (_, row) => {
      const answers: number[] = [];
      for (const person of people) {
        const id = await sendOne(as('owner'), {
          ...{ to: ['46701740655'], message: 'secret text', scheduletime: inAnHour() },
        });
        const answer = await row.call(as(person), id);
        answers.push(answer.status);
        const isOfTheirs = person === 'owner' || person === 'administrator';
        if (!isOfTheirs) expect(secrets.filter((secret) => answer.text.includes(secret))).toEqual([]);
      }
      expect(answers).toEqual(row.answers);
    },
  );

  test('[PORT-3] shows whoever names a company’s message by a key what its user may see', async () => {
    const id = await sendOne(as('owner'), { scheduletime: inAnHour() });
    const { body: key } = await as('colleague').get('/authentication/auth/apikey', { name: 'own' });
    const { body: administrators } = await as('administrator').get('/authentication/auth/apikey', {
      name: 'own',
    });
    const byKey = async (apikey: unknown) =>
      (await app.as().get(`/api/v1/messages/${id}`, { key: String(apikey) })).status;
    expect([await byKey(key), await byKey(administrators), await byKey('owner.1.1.x')]).toEqual([
      404, 200, 401,
    ]);
  });
});
