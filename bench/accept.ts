/** Claim: accepting an SMS durably costs little more than a mere answer, with an API key and with a password alike. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../test/harness/free-port.ts';
import { load } from './load.ts';
import { type Figure, median, medianOf, type Report } from './measure.ts';
import type { Engine, Options } from './options.ts';
import { runWhenMain } from './run.ts';
import { basic, password, startServer } from './server.ts';

const connections = 50;
const path = '/restsms/svcrest/send';
const message = {
  to: ['46701740699'],
  message: 'Your appointment is tomorrow at 9:30. Please be there ten minutes early.',
};

const method = [
  `wrk, one thread, ${connections} kept-alive connections; all requests are alike, with one recipient and 72 characters; every answer must be a 200.`,
  'The bare route has the same path and schema, parses and validates the same body, returns an answer of the same form, and stores nothing.',
  'In each round the bare route and that of Carillon are loaded in turn, so that drift of the machine affects both alike; a round before the first is a warm-up and does not count. A ratio is the median of the ratios of the rounds.',
  'The load generator, the servers and PostgreSQL share the cores.',
  'The server only accepts (`--roles http`): the lifecycle benchmark covers sending at the same time.',
  'Credentials are cached: each round uses the same few again and again, as an integration does.',
];

export async function accept(options: Options): Promise<Report> {
  const figures: Figure[] = [];
  for (const engine of options.engines) figures.push(...(await measure(engine, options)));
  return {
    name: 'accept',
    claim:
      'Accepting an SMS durably takes at most 2.5 times as long as a bare Fastify route takes to answer, and a password costs no more than an API key.',
    method,
    figures,
  };
}

interface Ways {
  readonly bare: Way;
  readonly key: Way;
  readonly basic: Way;
  readonly body: Way;
}

interface Way {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function measure(engine: Engine, options: Options): Promise<readonly Figure[]> {
  const bare = await startBareRoute();
  const server = await startServer({ engine, roles: 'http' });
  const headers = { 'x-api-key': await server.apiKey() };
  const body = JSON.stringify(message);
  const ways: Ways = {
    // The bare route gets the same headers, so that it has as much to read.
    bare: { url: `${bare.url}${path}`, headers, body },
    key: { url: `${server.url}${path}`, headers, body },
    basic: { url: `${server.url}${path}`, headers: { authorization: basic() }, body },
    body: {
      url: `${server.url}${path}`,
      headers: {},
      body: JSON.stringify({ username: 'ada', password, ...message }),
    },
  };
  try {
    await insistOnSameAnswer(ways);
    return summarise(engine, await race(ways, options));
  } finally {
    bare.stop();
    await server.close();
  }
}

interface Round {
  readonly rates: Readonly<Record<keyof Ways, number>>;
  readonly p99Ms: number;
  readonly loadCores: number;
}

async function race(
  ways: Ways,
  { quick, seconds = quick ? 1 : 5, rounds = quick ? 1 : 3 }: Options,
): Promise<Round[]> {
  const measured: Round[] = [];
  for (let round = 0; round <= rounds; round++) {
    const bare = await load({ ...ways.bare, seconds, connections });
    const key = await load({ ...ways.key, seconds, connections });
    const basic = await load({ ...ways.basic, seconds, connections });
    const body = await load({ ...ways.body, seconds, connections });
    if (round === 0) continue;
    measured.push({
      rates: {
        bare: bare.perSecond,
        key: key.perSecond,
        basic: basic.perSecond,
        body: body.perSecond,
      },
      p99Ms: key.p99Ms,
      loadCores: median([bare.cores, key.cores]),
    });
  }
  return measured;
}

function summarise(engine: Engine, rounds: readonly Round[]): readonly Figure[] {
  const rate = (way: keyof Ways, what: string) =>
    medianOf(
      rounds.map(({ rates }) => rates[way]),
      { engine, what, unit: 'requests/s' },
    );
  const ratioOf = (way: keyof Ways, to: keyof Ways, what: string, atLeast: number) =>
    medianOf(
      rounds.map(({ rates }) => rates[way] / rates[to]),
      { engine, what, unit: '' },
      { atLeast },
    );
  return [
    rate('bare', 'bare Fastify route'),
    rate('key', 'accepted durably, API key'),
    rate('basic', 'accepted durably, password in the header (Basic)'),
    rate('body', 'accepted durably, password in the body'),
    ratioOf('key', 'bare', 'API key, relative to the bare route', 0.4),
    ratioOf('basic', 'key', 'password in the header, relative to API key', 0.9),
    ratioOf('body', 'key', 'password in the body, relative to API key', 0.9),
    medianOf(
      rounds.map(({ p99Ms }) => p99Ms),
      { engine, what: 'accepted durably, API key: 99th percentile', unit: 'ms' },
    ),
    medianOf(
      rounds.map(({ loadCores }) => loadCores),
      { engine, what: 'taken by the load itself', unit: 'cores' },
    ),
  ];
}

/** Without this check, one side could be fast because it does less. */
async function insistOnSameAnswer(ways: Ways): Promise<void> {
  const forms: string[] = [];
  for (const { url, headers, body } of Object.values(ways)) {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`/send answered ${answer.status}: ${text}`);
    forms.push(text.replace(/"id":"\d{10}"/, '"id":"…"'));
  }
  if (new Set(forms).size > 1) throw new Error(`The answers differ in form:\n${forms.join('\n')}`);
}

async function startBareRoute() {
  const port = await freePort();
  const script = fileURLToPath(new URL('./bare-route.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill());
  await once(child.stdout, 'data');
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() };
}

await runWhenMain(import.meta, accept);
