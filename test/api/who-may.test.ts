/**
 * Tests who may do what in the management API: its calls × roles × companies. Nothing that belongs to another company
 * ever shows.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allEndpoints } from '../../scripts/docs/generated-documents.ts';
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import { managedResources, triedResources } from '../harness/company-resources.ts';
import { inAnHour, sendOne } from '../harness/messaging.ts';
import { administrationRows } from './who-may/administration-rows.ts';
import { alertRows } from './who-may/alert-rows.ts';
import { batchRows, ownersBatch } from './who-may/batch-rows.ts';
import { contactRows } from './who-may/contact-rows.ts';
import { conversationRows } from './who-may/conversation-rows.ts';
import { emailRows } from './who-may/email-rows.ts';
import { jobRows } from './who-may/job-rows.ts';
import { messageRows } from './who-may/message-rows.ts';
import { optOutRows } from './who-may/opt-out-rows.ts';
import { peopleRows } from './who-may/people-rows.ts';
import { rowsOf } from './who-may/resource-rows.ts';
import { type Person, people, type Rows } from './who-may/row.ts';
import { runRows } from './who-may/run-rows.ts';
import { sendRows } from './who-may/send-rows.ts';
import { userRows } from './who-may/user-rows.ts';
import { webhookRows } from './who-may/webhook-rows.ts';

const user = (username: string, roles: string, more = '') =>
  `{ username: ${username}, password: "${username}'s long password", roles: [${roles}], ${more} }`;

const provisioning = `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    addressBooks:
      - id: 11
        name: Staff
        contacts: [{ id: 9001, name: Nordic Anna, phone: "+46701740655", tags: { role: nurse } }]
        savedTagFilters: { nurses: "role:nurse" }
        groups: { board: [{ contact: 9001 }] }
    users:
      - ${user('owner', 'send', 'addressBooks: [Staff]')}
      - ${user('colleague', 'send')}
      - ${user('administrator', 'send, companyAdmin')}
      - ${user('emailer', 'emailAdmin')}
      - ${user('nobody', '')}
    allowedDomainEndings: [care.example]
    emailSenders: [{ email: ward@care.example, payinguser: colleague }]
${managedResources}
    alertReceivers: [{ name: ops, source: alertmanager, user: owner, send: { numbers: ["46701740655"] } }]
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
numbers:
  - { number: "46731230001", rentedBy: owner }
`;

/** Texts that only the owner's company may see. */
const secrets = ['secret text', '46701740655', 'owner', 'Nordic'];

const rows: Rows = {
  ...messageRows,
  ...administrationRows,
  ...Object.assign({}, ...triedResources.map(rowsOf)),
  ...batchRows,
  ...sendRows,
  ...contactRows,
  ...runRows,
  ...conversationRows,
  ...peopleRows,
  ...optOutRows,
  ...webhookRows,
  ...alertRows,
  ...jobRows,
  ...userRows,
  ...emailRows,
};

describe('the management API', () => {
  let app: WholeApp;
  beforeAll(async () => {
    app = await startWholeApp({ engine: 'sqlite', provisioning });
    await as('owner').post('/api/v1/batches', ownersBatch());
    await waiting();
    const answer = { text: 'secret text', to: '46731230001' };
    const stored = await as('owner').post('/api/v1/simulator/phones/46701740655/answer', answer);
    expect(stored.status).toBe(200);
  });
  afterAll(() => app?.close());

  const as = (username: Person) => app.as({ username, password: `${username}'s long password` });
  /** Belongs to a sending of two messages. */
  const waiting = () =>
    sendOne(as('owner'), {
      to: ['46701740655', '46701740656'],
      message: 'secret text',
      scheduletime: inAnHour(),
    });

  test('[PORT-3] The table of permissions has a row for each call of the management API', () => {
    const calls = allEndpoints.flatMap(({ path, methods }) => methods.map((method) => `${method} ${path}`));
    expect(Object.keys(rows).sort()).toEqual(calls.filter((call) => call.includes(' /api/v1/')).sort());
  });

  test.each(Object.entries(rows))(
    '[PORT-3] The management API lets only those call %s who may, and shows others nothing',
    async (_, row) => {
      const answers: number[] = [];
      for (const person of people) {
        const answer = await row.call(as(person), waiting);
        answers.push(answer.status);
        const isOfTheirs = person === 'owner' || person === 'administrator';
        if (!isOfTheirs) expect(secrets.filter((secret) => answer.text.includes(secret))).toEqual([]);
      }
      expect(answers).toEqual(row.answers);
    },
  );

  test('[PORT-3] A message requested with an API key in the URL is shown only if the key’s user may see it', async () => {
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
