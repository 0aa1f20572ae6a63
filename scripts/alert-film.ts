/**
 * `tsx scripts/alert-film.ts [PICTURE]`: a rule of Prometheus fires, Alertmanager posts its alert, and two phones are asked. One
 * answers YES, and Alertmanager has a silence in that name; in the end those asked are told. It makes `docs/alerts.png`, which
 * shows the moments side by side. Debian has both programs: `apt-get install prometheus prometheus-alertmanager`.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { Alertmanager } from '../test/alerts/alertmanager.ts';
import { diskRule, Prometheus } from '../test/alerts/prometheus.ts';
import { startWholeApp } from '../test/harness/app.ts';
import { until } from '../test/harness/awake.ts';
import { PortalInBrowser } from '../test/harness/browser.ts';
import { BrowserWindows } from '../test/harness/browser-windows.ts';
import { type Moment, sideBySide } from './film/side-by-side.ts';

const [, , file = 'docs/alerts.png'] = process.argv;

const alice = { username: 'alice', password: "alice's long password" };
const phones = { anna: '46701740620', cleo: '46701740622' };

const provisioning = `
companies:
  - name: Nordic Care
    addressBooks:
      - id: 11
        name: Staff
        contacts:
          - { id: 1, name: Anna Berg, phone: "${phones.anna}", tags: { role: oncall } }
          - { id: 3, name: Cleo Dahl, phone: "${phones.cleo}", tags: { role: oncall } }
    systemUsers: [{ username: nordic-jobs }]
    users:
      - { username: alice, password: "${alice.password}", roles: [send, jobs, companyAdmin], defaultAddressBook: Staff, systemUser: nordic-jobs }
    jobTypes: [{ name: OnCall, generic: GMA, expiryMinutes: 60, reminderMinutes: 5 }]
    savedJobs:
      - { id: 72, owner: nordic-jobs, name: On call, type: OnCall, message: "Can you take it? YES or NO", tasks: [{ tagType: role, tagValue: oncall, goal: 1 }] }
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
numbers:
  - { number: "46701740607", pool: true }
  - { number: "46701740608", pool: true }
`;

const screen = { width: 360, height: 640 };
const phone = { ...screen, theme: 'dark', touch: true } as const;
const moments: Moment[] = [];

const windows = new BrowserWindows();
const portal = new PortalInBrowser(windows);
const app = await startWholeApp({
  engine: 'sqlite',
  provisioning,
  env: { CARILLON_CALLBACK_ALLOW: '127.0.0.1' },
});
let alertmanager: Alertmanager | undefined;
let prometheus: Prometheus | undefined;
try {
  portal.demo = { app, ...alice };
  alertmanager = await startAlertmanager();
  prometheus = await Prometheus.start({ alertmanager: alertmanager.url });
  await play(alertmanager, prometheus);
  const film = await sideBySide(await windows.browser(), moments, screen);
  writeFileSync(file, film);
  console.log(`${file}: ${moments.length} moments, ${Math.ceil(film.length / 1_000)} kB`);
  const faults = portal.faults();
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
} finally {
  await prometheus?.close();
  await alertmanager?.close();
  await windows.close();
  await app.close();
}

/** An administrator makes a key for it and a receiver, which knows where acknowledgements go. */
async function startAlertmanager(): Promise<Alertmanager> {
  const api = app.as(alice);
  const key = await api.post('/api/v1/apikeys', { name: 'alertmanager', scopes: ['alerts:ops'] });
  const url = `${app.baseUrl}/api/v1/alerts/ops`;
  const started = await Alertmanager.start({ url, token: String(key.body.apiKey) });
  const receiver = {
    name: 'ops',
    source: 'alertmanager',
    start: 72,
    text: '{{alertname}}: {{summary}}',
    acknowledge: { url: started.url, hours: 4 },
  };
  const made = await api.post('/api/v1/alertreceivers', receiver);
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return started;
}

async function play(source: Alertmanager, rules: Prometheus): Promise<void> {
  await showText('A rule of Prometheus', 'cat rules.yml', stringify([diskRule], { lineWidth: 0 }));
  rules.freeRatio = 0.04;
  const { id } = await incidentIn('open');
  const owner = await portal.visit(`/alerts/${id}`, phone);
  await showPhone(phones.cleo, 'It fires: two phones are asked', /^DiskAlmostFull/);
  await answerYes(phones.anna);
  await until(async () => (await source.silenced()).length > 0);
  await owner.getByText('Taken care of').waitFor();
  await owner.getByText('It knows').scrollIntoViewIfNeeded();
  moments.push({ caption: 'The portal shows who takes care', picture: await owner.screenshot() });
  const silences = amtool(source, 'query', '-o', 'extended');
  await showText('Alertmanager has a silence in her name', 'amtool silence query -o extended', silences);
  const [silence] = await source.silences();
  amtool(source, 'expire', String(silence?.id));
  rules.freeRatio = 0.5;
  await incidentIn('ended');
  await showPhone(phones.cleo, 'It is over: those asked are told', /^Resolved/);
}

async function incidentIn(state: 'open' | 'ended'): Promise<{ readonly id: string }> {
  const incident = async () => (await app.as(alice).get('/api/v1/incidents', { state })).body.incidents[0];
  await until(async () => (await incident()) !== undefined);
  return incident();
}

function amtool(source: Alertmanager, ...given: readonly string[]): string {
  return execFileSync('amtool', ['silence', ...given, `--alertmanager.url=${source.url}`], {
    encoding: 'utf8',
  });
}

async function answerYes(number: string): Promise<void> {
  const page = await portal.visit(`/simulator?phone=${number}`, phone);
  const shown = page.getByRole('region', { name: 'The phone' });
  await shown.getByText(/^DiskAlmostFull/).waitFor();
  await shown.getByRole('button', { name: 'Yes', exact: true }).tap();
  await portal.leave(page);
  await showPhone(number, 'One answers YES', /thank you/);
}

/** Once the text has come to it. */
async function showPhone(number: string, caption: string, text: RegExp): Promise<void> {
  const page = await portal.visit(`/simulator?phone=${number}`, phone);
  const shown = page.getByRole('region', { name: 'The phone' });
  await shown.getByText(text).waitFor();
  // High enough for the whole phone above the navigation.
  await page.setViewportSize({ ...screen, height: 1_000 });
  moments.push({ caption, picture: await shown.screenshot() });
  await portal.leave(page);
}

/** As a terminal shows it. */
async function showText(caption: string, command: string, text: string): Promise<void> {
  console.log(`$ ${command}\n${text}`);
  const page = await (await windows.browser()).newPage({ viewport: screen });
  await page.setContent(`<!doctype html><style>
    body { margin: 0; background: #14171a; }
    pre { margin: 0; padding: 20px; color: #e4e7ea; font: 14px/1.5 monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
    b { color: #8fd19e; }
  </style><pre><b></b><span></span></pre>`);
  await page.locator('b').evaluate((line, said) => line.append(said), `$ ${command}\n`);
  await page.locator('span').evaluate((lines, said) => lines.append(said), text);
  moments.push({ caption, picture: await page.screenshot() });
  await page.close();
}
