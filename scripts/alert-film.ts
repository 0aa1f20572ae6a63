/**
 * `tsx scripts/alert-film.ts [PICTURE]`: a rule of Prometheus fires, Alertmanager posts its alert, and two phones are asked. One
 * answers YES, and Alertmanager has a silence in that name; in the end those asked are told. It makes `docs/alerts.png`, which
 * shows the moments side by side. Debian has both programs: `apt-get install prometheus prometheus-alertmanager`.
 */
import { stringify } from 'yaml';
import { escapeHtml } from '../src/wire/escape-html.ts';
import { Alertmanager } from '../test/alerts/alertmanager.ts';
import { diskRule, Prometheus } from '../test/alerts/prometheus.ts';
import { until } from '../test/harness/awake.ts';
import { alice, Film, phone, screen } from './film/film.ts';

const [, , file = 'docs/alerts.png'] = process.argv;

const phones = { anna: '46701740620', cleo: '46701740622' };

const companies = `
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
`;

const film = await Film.open(companies, { CARILLON_CALLBACK_ALLOW: '127.0.0.1' });
const { app, portal, windows, moments } = film;
await film.shoot(file, async () => {
  const alertmanager = await startAlertmanager();
  let prometheus: Prometheus | undefined;
  try {
    prometheus = await Prometheus.start({ alertmanager: alertmanager.url });
    await play(alertmanager, prometheus);
  } finally {
    await prometheus?.close();
    await alertmanager.close();
  }
});

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
  rules.freeRatio = 0.04;
  const { id } = await incidentIn('open');
  const firing = { 'rules.yml': [diskRule], '/api/v1/alerts': await rules.firing() };
  await showTexts('A rule of Prometheus fires', firing);
  const owner = await portal.visit(`/alerts/${id}`, phone);
  await showPhone(phones.cleo, 'Two phones are asked', /^DiskAlmostFull/);
  await answerYes(phones.anna);
  await until(async () => (await source.silenced()).length > 0);
  await owner.getByText('Taken care of').waitFor();
  await owner.getByText('It knows').waitFor();
  moments.push({ caption: 'The portal shows who takes care', picture: await owner.screenshot() });
  const [silence, ...others] = await source.silences();
  if (silence === undefined || others.length > 0) throw new Error('Alertmanager has not exactly one silence');
  await showTexts('Alertmanager has a silence', { '/api/v2/silences': [silence] });
  await source.expire(silence);
  rules.freeRatio = 0.5;
  await incidentIn('ended');
  await showPhone(phones.anna, 'It is over, and she is told', /^Resolved/);
}

async function incidentIn(state: 'open' | 'ended'): Promise<{ readonly id: string }> {
  const incident = async () => (await app.as(alice).get('/api/v1/incidents', { state })).body.incidents[0];
  await until(async () => (await incident()) !== undefined);
  return incident();
}

async function answerYes(number: string): Promise<void> {
  const { shown, leave } = await film.openPhone(number, /^DiskAlmostFull/);
  await shown.getByRole('button', { name: 'Yes', exact: true }).tap();
  await leave();
  await showPhone(number, 'One answers YES', /thank you/);
}

/** Once the text has come to it. */
async function showPhone(number: string, caption: string, text: RegExp): Promise<void> {
  const { shown, leave } = await film.openPhone(number, text);
  moments.push({ caption, picture: await shown.screenshot() });
  await leave();
}

/** What programs have in files and answer, as YAML, each under its name. */
async function showTexts(caption: string, said: Readonly<Record<string, object>>): Promise<void> {
  const texts = Object.entries(said).map(([name, content]) => [name, stringify(content, { lineWidth: 42 })]);
  for (const [name, text] of texts) console.log(`${name}\n${text}`);
  const page = await (await windows.browser()).newPage({ viewport: screen });
  const parts = texts.map(([name = '', text = '']) => `<b>${escapeHtml(name)}</b>\n${escapeHtml(text)}`);
  await page.setContent(`<!doctype html><style>
    pre { margin: 0; padding: 20px 18px; background: #14171a; color: #e4e7ea; font: 12px/1.5 monospace; }
    body { margin: 0; }
    b { color: #8fd19e; }
  </style><pre>${parts.join('\n')}</pre>`);
  moments.push({ caption, picture: await page.locator('pre').screenshot() });
  await page.close();
}
