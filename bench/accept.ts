/** Claim: accepting an SMS durably costs little more than answering at all, by API key and by password alike. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '../test/harness/free-port.ts';
import { type Figure, load, median, type Report, runWhenMain } from './measure.ts';
import { engines, type Server, startServer } from './server.ts';

const rounds = 3;
const seconds = 5;
const connections = 50;
const body = JSON.stringify({
  to: ['46701740699'],
  message: 'Your appointment is tomorrow at 9:30. Please be there ten minutes early.',
});

export async function accept(): Promise<Report> {
  const figures: Figure[] = [];
  for (const engine of engines) {
    const bare = await startBareRoute();
    // Accepting alone: what dispatch does at the same time is measured by the lifecycle.
    const server = await startServer({ engine, roles: 'http' });
    const rates = { bare: [] as number[], key: [] as number[], password: [] as number[] };
    const p99s: number[] = [];
    for (let round = 0; round < rounds; round++) {
      rates.bare.push((await load({ url: `${bare.url}/send`, body, seconds, connections })).perSecond);
      const byKey = await send(server, { 'x-api-key': server.apiKey });
      rates.key.push(byKey.perSecond);
      p99s.push(byKey.p99Ms);
      rates.password.push((await send(server, { authorization: server.basic })).perSecond);
    }
    bare.stop();
    await server.close();
    figures.push(
      { what: `${engine}: bare Fastify route`, value: median(rates.bare), unit: 'requests/s' },
      { what: `${engine}: accepted durably, API key`, value: median(rates.key), unit: 'requests/s' },
      { what: `${engine}: p99 of that`, value: median(p99s), unit: 'ms' },
      {
        what: `${engine}: ratio to the bare route`,
        value: median(rates.key) / median(rates.bare),
        unit: '',
        claim: { atLeast: 0.4 },
      },
      {
        what: `${engine}: password instead of API key`,
        value: median(rates.password) / median(rates.key),
        unit: '',
        claim: { atLeast: 0.9 },
      },
    );
  }
  return { name: 'accept', figures };
}

async function send(server: Server, headers: Readonly<Record<string, string>>) {
  const result = await load({
    url: `${server.url}/restsms/svcrest/send`,
    headers,
    body,
    seconds,
    connections,
  });
  if (result.failed > 0) throw new Error(`${result.failed} requests failed`);
  return result;
}

async function startBareRoute() {
  const port = await freePort();
  const script = fileURLToPath(new URL('./bare-route.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() };
}

await runWhenMain(import.meta, accept);
