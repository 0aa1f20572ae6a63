/**
 * Every page that the rooms declare, on a phone in both themes: each fits, can be pressed, has its title, and has no barriers.
 * A page that is added is among them by itself.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../harness/awake.ts';
import { barriersOf, describePortal, overflowOf } from '../harness/browser.ts';
import { ownPage } from '../harness/browser-session.ts';
import { patienceMs } from '../harness/browser-windows.ts';
import { PortalWalk } from '../harness/portal-walk.ts';

const operator = { username: 'olle', password: 'a long password of olle' };
const provisioning = `
companies:
  - name: Demo
    allowedDomainEndings: [.care.example]
    emailSenders: [{ email: "@wards.care.example", payinguser: demo, sender: Demo }]
operators: [{ username: ${operator.username}, password: "${operator.password}" }]
`;

/** The paths as the rooms declare them. */
const declared = readdirSync('portal/src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('routes.ts'))
  .flatMap((file) => [...readFileSync(join('portal/src', file), 'utf8').matchAll(/\bpath: '(\/[^']*)'/g)])
  .map(([, path]) => String(path));

/** Buttons that a finger would miss. A button without edge or padding is a part of a sentence. */
const tooSmall = `[...document.querySelectorAll('button, select, summary')].filter((element) => {
  const { borderTopWidth, paddingLeft } = getComputedStyle(element);
  const { height } = element.getBoundingClientRect();
  const around = getComputedStyle(element, '::after');
  const reach = around.position === 'absolute' ? 2 * Math.max(0, -parseFloat(around.top)) : 0;
  const isText = element.matches('button') && borderTopWidth === '0px' && paddingLeft === '0px';
  return height > 0 && !isText && Math.round(height + reach) < 44;
}).map((element) => element.outerHTML.slice(0, 200))`;

describePortal('every page of the portal', (portal) => {
  async function examine(walk: PortalWalk, path: string): Promise<void> {
    const { page } = walk;
    expect([path, await walk.go(path)]).toEqual([path, true]);
    const name = String(await page.getByRole('heading', { level: 1 }).textContent());
    expect([path, await page.title()]).toEqual([path, `${name} · Carillon`]);
    expect([path, await overflowOf(page)]).toEqual([path, 0]);
    expect([path, await page.evaluate(tooSmall)]).toEqual([path, []]);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      expect([path, colorScheme, await barriersOf(page)]).toEqual([path, colorScheme, []]);
    }
  }

  test('[PORT-5] Every page fits a phone in Swedish, is pressed by a thumb, has its own title, and has no barriers in either theme', async () => {
    const { app } = portal.demo;
    expect((await app.apply(provisioning)).stderr).toBe('');
    const api = app.as(portal.demo);
    const made = async (path: string, body: object) => (await api.post(path, body)).body;
    const [to, other] = ['46701740699', '46701740698'];
    const { batchid } = await made('/api/v1/batches', {
      name: 'A batch',
      message: 'Hello',
      batch: [{ t: to }],
    });
    const { accepted } = await made('/api/v1/send', { to: [to, other], message: 'Hello' });
    const { id: run } = await made('/api/v1/jobs/71/start', {});
    const hook = { name: 'Records', url: 'http://127.0.0.1:9/', events: ['message.incoming'] };
    const { id: webhook } = await made('/api/v1/webhooks', hook);
    await made('/api/v1/jobtypes', { name: 'Alarm', generic: 'GMA' });
    await made('/api/v1/systemusers', { name: 'ward-jobs' });
    await made('/api/v1/alertreceivers', { name: 'disks', source: 'generic', send: { numbers: [to] } });
    await made('/api/v1/alerts/disks', { title: 'The disk is full' });
    const incidents = async () => (await api.get('/api/v1/incidents')).body.incidents;
    await until(async () => (await incidents()).length > 0, patienceMs);
    const [{ id: incident }] = await incidents();
    const own = (await api.get('/api/v1/users')).body.users[0].id;
    const page = await portal.visit('/', { width: 360, language: 'sv', touch: true });
    const signedIn = await page.context().request.post(`${app.baseUrl}/portal/api/operator/session`, {
      headers: ownPage,
      data: operator,
    });
    expect(signedIn.status()).toBe(200);
    const companies = await page.context().request.get(`${app.baseUrl}/api/v1/operator/companies`);
    const company = (await companies.json()).companies[0].id;
    const examples: Readonly<Record<string, string>> = {
      '/batches/$id': `/batches/${batchid}`,
      '/templates/$id': '/templates/1001',
      '/jobs/$id': '/jobs/71',
      '/runs/$id': `/runs/${run}`,
      '/admin/saved-jobs/$id': '/admin/saved-jobs/71',
      '/admin/saved-jobs/types/$name': '/admin/saved-jobs/types/Alarm',
      '/admin/saved-jobs/owners/$name': '/admin/saved-jobs/owners/ward-jobs',
      '/sendings/$id': `/sendings/${accepted[0].id}`,
      '/messages/$id': `/messages/${accepted[0].id}`,
      '/people/$book/new': '/people/11/new',
      '/people/$book/person/$id': '/people/11/person/1',
      '/people/by-number/$number': `/people/by-number/${to}`,
      '/people/$book/import': '/people/11/import',
      '/people/$book/groups': '/people/11/groups',
      '/people/$book/groups/$name': '/people/11/groups/board',
      '/admin/users/$id': `/admin/users/${own}`,
      '/admin/email/$email': '/admin/email/@wards.care.example',
      '/alerts/$id': `/alerts/${incident}`,
      '/admin/alert-receivers/$name': '/admin/alert-receivers/disks',
      '/admin/webhooks/$id': `/admin/webhooks/${webhook}`,
      '/webhooks/$id': `/webhooks/${webhook}`,
      '/operator/companies/$id': `/operator/companies/${company}`,
      '/operator/companies/$id/messages/$message': `/operator/companies/${company}/messages/${accepted[0].id}`,
      '/operator/carriers/$name': '/operator/carriers/sim',
    };
    const paths = declared.map((path) => examples[path] ?? path);
    expect(paths.filter((path) => path.includes('$'))).toEqual([]);
    expect(paths.length).toBeGreaterThan(50);

    // Each example exists, so that no page is looked at while it says that there is nothing.
    const failed: string[] = [];
    page.on('response', (answer) => {
      if (answer.status() >= 400) failed.push(`${answer.status()} ${answer.url()}`);
    });
    const walk = new PortalWalk(page);
    // Only a load leads from the pages of users to those of operators.
    for (const first of ['/', '/operator']) {
      await page.goto(`${app.baseUrl}/portal${first}`);
      const isOfKind = (path: string) => path.startsWith('/operator') === (first === '/operator');
      for (const path of paths.filter(isOfKind)) await examine(walk, path);
    }
    walk.end();
    expect(failed).toEqual([]);
  });
});
