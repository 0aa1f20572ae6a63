/** Claim: a call with many recipients costs little for each of them. */
import { load } from './load.ts';
import { type Figure, medianOf, type Report } from './measure.ts';
import type { Engine, Options } from './options.ts';
import { runWhenMain } from './run.ts';
import { startServer } from './server.ts';

const recipients = 1_000;
const connections = 4;
const body = JSON.stringify({
  to: Array.from({ length: recipients }, (_, index) => String(46_701_000_000 + index * 100 + 99)),
  message: 'The road is closed until 18:00. Take the ferry.',
});

export async function manyRecipients(options: Options): Promise<Report> {
  const figures: Figure[] = [];
  for (const engine of options.engines) figures.push(...(await measure(engine, options)));
  return {
    name: 'recipients',
    claim: `A call to /send with ${recipients.toLocaleString('en')} recipients is accepted at 40,000 recipients/s or more.`,
    method: [
      `wrk, one thread, ${connections} connections that are kept, API key; each call is alike, its ${recipients.toLocaleString('en')} recipients all different; every answer must be a 200. A round before the first warms up and does not count.`,
      'The server only accepts (`--roles http`). Load, server and PostgreSQL share the cores.',
    ],
    figures,
  };
}

async function measure(
  engine: Engine,
  { quick, seconds = quick ? 1 : 5, rounds = quick ? 1 : 3 }: Options,
): Promise<readonly Figure[]> {
  const server = await startServer({ engine, roles: 'http' });
  const rates: number[] = [];
  const p99s: number[] = [];
  try {
    const headers = { 'x-api-key': await server.apiKey() };
    const url = `${server.url}/restsms/svcrest/send`;
    await insistOnAllAccepted(url, headers);
    for (let round = 0; round <= rounds; round++) {
      const { perSecond, p99Ms } = await load({ url, headers, body, seconds, connections });
      if (round === 0) continue;
      rates.push(perSecond * recipients);
      p99s.push(p99Ms);
    }
  } finally {
    await server.close();
  }
  return [
    medianOf(rates, { engine, what: 'accepted durably', unit: 'recipients/s' }, { atLeast: 40_000 }),
    medianOf(p99s, { engine, what: 'a whole call: 99th percentile', unit: 'ms' }),
  ];
}

/** A 200 may still have rejected some of them. */
async function insistOnAllAccepted(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  const { accepted } = (await answer.json()) as { accepted: unknown[] };
  if (accepted.length !== recipients)
    throw new Error(`only ${accepted.length} of ${recipients} were accepted`);
}

await runWhenMain(import.meta, manyRecipients);
