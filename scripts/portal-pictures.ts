/**
 * `tsx scripts/portal-pictures.ts FOLDER [PATH…]`: takes pictures of the portal's pages over a demo that has been in use for
 * a while, in both themes and languages and at four widths, for people to review. It covers all pages of the navigation
 * unless paths are given, which may be those of operators.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openPortal, overflowOf, type PortalInBrowser } from '../test/harness/browser.ts';
import { ownPage } from '../test/harness/browser-session.ts';
import { inAnHour } from '../test/harness/messaging.ts';

const [, , folder = 'pictures', ...given] = process.argv;

const operator = { username: 'olle', password: 'a long password of olle' };

const texts = [
  'Your appointment is tomorrow at 10:15. Answer 1 to confirm.',
  'Can you take the night shift on Friday? Answer YES or NO.',
  'The water is turned off in your house tomorrow from 9 to 11.',
  'Din tid är bokad till fredag kl. 14. Välkommen!',
];

const { portal, close } = await openPortal();
try {
  await fill(portal);
  mkdirSync(folder, { recursive: true });
  for (const path of given.length > 0 ? given : await pathsOf(portal))
    for (const theme of ['light', 'dark'] as const)
      for (const language of ['en', 'sv'] as const)
        for (const width of [360, 768, 1280, 1920]) await picture(path, { theme, language, width });
  console.log(portal.faults().join('\n'));
} finally {
  await close();
}

/** The last digits of a number decide what the simulator does with an SMS to it: see `docs/provisioning.md`. */
async function fill({ demo }: PortalInBrowser): Promise<void> {
  const api = demo.app.as(demo);
  await demo.app.apply(`operators: [${JSON.stringify(operator)}]`);
  await api.post('/api/v1/batches', {
    name: 'Flu vaccination, week 48',
    message: texts[0],
    batch: Array.from({ length: 240 }, (_, index) => ({ t: `467310${String(10_000 + index * 7)}` })),
  });
  for (let index = 0; index < 60; index += 1)
    await api.post('/restsms/svcrest/send', {
      to: [`467017${String(40_600 + ((index * 37) % 60))}`],
      message: texts[index % texts.length],
    });
  await api.post('/restsms/svcrest/send', {
    to: ['46701740699'],
    message: texts[0],
    scheduletime: inAnHour(),
  });
  const paused = {
    name: 'Open house on Saturday',
    message: texts[2],
    batch: [{ t: '46701740699' }, { t: '46701740698' }],
    scheduletime: inAnHour(),
  };
  const { body } = await api.post('/api/v1/batches', paused);
  await api.post(`/api/v1/batches/${body.batchid}/pause`, {});
  await api.post('/api/v1/templates', { name: 'Appointment', text: 'You are expected {DateTime:when}.' });
  for (const phone of ['46701740622', '46701740631', '46701740644'])
    await demo.app.run(
      'simulate',
      'incoming',
      '--to',
      '46701740605',
      '--from',
      phone,
      '--text',
      'Yes, I can',
    );
}

async function pathsOf({ visit }: PortalInBrowser): Promise<readonly string[]> {
  const page = await visit.call(portal, '/');
  const links = page.getByRole('navigation', { name: 'Pages' }).first().getByRole('link');
  const addresses = await links.evaluateAll((all) => all.map((link) => String(link.getAttribute('href'))));
  await page.context().close();
  return addresses.map((address) => address.replace(/^\/portal/, '') || '/');
}

async function picture(
  path: string,
  appearance: { readonly theme: 'light' | 'dark'; readonly language: 'en' | 'sv'; readonly width: number },
): Promise<void> {
  const height = appearance.width < 500 ? 780 : 860;
  const isOfOperators = path.startsWith('/operator');
  const page = await portal.visit(path, { ...appearance, height, as: isOfOperators ? 'nobody' : 'demo' });
  if (isOfOperators) {
    const address = `${portal.demo.app.baseUrl}/portal/api/operator/session`;
    await page.context().request.post(address, { headers: ownPage, data: operator });
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
  }
  await page.waitForLoadState('load');
  await page
    .getByRole('status', { name: /Loading|Laddar/ })
    .first()
    .waitFor({ state: 'detached' });
  const name = `${path.replace(/\W+/g, '-').replace(/^-|-$/g, '') || 'start'}-${appearance.width}-${appearance.theme}-${appearance.language}`;
  await page.screenshot({ path: join(folder, `${name}.png`) });
  const overflow = await overflowOf(page);
  if (overflow > 0) console.log(`${name} is ${overflow} px wider than the window`);
  await page.context().close();
}
