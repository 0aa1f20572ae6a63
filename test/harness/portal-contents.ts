/** What tests of all pages show on them: something of everything, to users and to an operator. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { until } from './awake.ts';
import type { PortalInBrowser, VisitOptions } from './browser.ts';
import { ownPage } from './browser-session.ts';
import { arriveFrom } from './documented-calls.ts';
import { inAnHour, sendOne, whenAllAre } from './messaging.ts';

const operator = { username: 'olle', password: 'a long password of olle' };

export async function addOperator({ demo }: PortalInBrowser): Promise<void> {
  expect((await demo.app.apply(`operators: [${JSON.stringify(operator)}]`)).stderr).toBe('');
}

/** Opens the first page of the operator. */
export async function visitAsOperator(portal: PortalInBrowser, appearance: VisitOptions): Promise<Page> {
  const page = await portal.visit('/operator', { ...appearance, as: 'nobody' });
  const session = `${portal.demo.app.baseUrl}/portal/api/operator/session`;
  await page.context().request.post(session, { headers: ownPage, data: operator });
  await page.reload();
  return page;
}

/**
 * Fills the portal with the outcomes that need words, and returns the addresses that no link leads to; 1001 is the first company. The last digits of a
 * number decide what becomes of an SMS.
 */
export async function fillPortal({ demo }: PortalInBrowser): Promise<readonly string[]> {
  const api = demo.app.as(demo);
  const post = async (path: string, body: object = {}) => {
    const answer = await api.post(path, body);
    expect([path, answer.text, answer.status < 300]).toEqual([path, answer.text, true]);
    return answer.body;
  };
  await api.patch('/api/v1/company', { optOuts: 'honour' });
  for (const text of ['Veni', 'STOP', 'stop vidi'])
    await arriveFrom(demo, '46701740640', '46701740605', text);
  await arriveFrom(demo, '46701740640', '46701740698', 'Vici');
  const ends = ['01', '05', '10', '12', '14', '16', '20', '31', '41', '50', '60', '99'];
  const batch = ends.map((end) => ({ t: `467310002${end}` }));
  await post('/api/v1/batches', { name: 'Lorem', message: 'Ipsum', batch });
  const later = { name: 'Dolor', message: 'Ipsum', batch: [{ t: '46701740699' }], scheduletime: inAnHour() };
  await post(`/api/v1/batches/${(await post('/api/v1/batches', later)).batchid}/pause`);
  const message = await sendOne(api, { to: ['46701740620'], message: 'Sit' });
  for (const end of ends) await sendOne(api, { to: [`467310001${end}`], message: 'Sit amet' });
  const pair = { to: ['46701740621', '46701740622'], message: 'Amet', twoway: true };
  await sendOne(api, pair);
  await sendOne(api, { ...pair, scheduletime: inAnHour() });
  const stopped = await sendOne(api, { to: ['46701740621'], message: 'Elit', scheduletime: inAnHour() });
  await post(`/api/v1/messages/${stopped}/cancel`);
  await post('/api/v1/jobs/71/start');
  await post('/api/v1/email/senders', { email: 'anna@care.example', payingUser: 'demo' });
  const { id } = await post('/api/v1/webhooks', {
    name: 'curia',
    url: 'https://receiver.example/',
    events: ['message.status'],
  });
  await post(`/api/v1/webhooks/${id}/test`);
  const send = { numbers: ['46701740623'] };
  await post('/api/v1/alertreceivers', { name: 'quartus', source: 'generic', send });
  await post('/api/v1/alerts/quartus', { title: 'Quintus' });
  await post('/api/v1/users', { name: 'bo', roles: ['send'], smpp: { systemId: 'bo' } });
  await post('/api/v1/apikeys', { name: 'tertius' });
  await post('/api/v1/jobtypes', { name: 'Primus', generic: 'GMA' });
  await post('/api/v1/systemusers', { name: 'secundus' });
  await whenAllAre(api, [message], 'DELIVERED');
  await until(async () => (await api.get('/api/v1/incidents')).body.incidents[0]?.state === 'open');
  return [`/operator/companies/1001/messages/${message}`, `/webhooks/${id}`];
}
