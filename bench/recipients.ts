/** Claim: each recipient adds little to the cost of a call with many. */
import { load } from './load.ts';
import { type Figure, medianOf, type Report } from './measure.ts';
import type { Engine, Options } from './options.ts';
import { runWhenMain } from './run.ts';
import { startServer } from './server.ts';

const recipients = 1_000;
const connections = 4;
const call = {
  to: Array.from({ length: recipients }, (_, index) => String(46_701_000_000 + index * 100 + 99)),
  message: 'The road is closed until 18:00. Take the ferry.',
};
const ways = [
  {
    body: JSON.stringify(call),
    rate: 'accepted durably',
    p99: 'a whole call: 99th percentile',
    claim: { atLeast: 40_000 },
  },
  {
    body: JSON.stringify({ ...call, twoway: true }),
    rate: 'accepted durably, two-way from a pool of 10 numbers',
    p99: 'a whole two-way call: 99th percentile',
    claim: undefined,
  },
] as const;

export async function manyRecipients(options: Options): Promise<Report> {
  const figures: Figure[] = [];
  for (const engine of options.engines) figures.push(...(await measure(engine, options)));
  return {
    name: 'recipients',
    claim: `A call to /send with ${recipients.toLocaleString('en')} recipients is accepted at 40,000 recipients/s or more.`,
    method: [
      `wrk, one thread, ${connections} kept-alive connections, API key; all calls are alike, each with ${recipients.toLocaleString('en')} different recipients; every answer must be a 200. A round before the first is a warm-up and does not count.`,
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
  const figures: Figure[] = [];
  try {
    const headers = { 'x-api-key': await server.apiKey() };
    const url = `${server.url}/restsms/svcrest/send`;
    for (const { body, rate, p99, claim } of ways) {
      await insistOnAllAccepted(url, headers, body);
      const rates: number[] = [];
      const p99s: number[] = [];
      for (let round = 0; round <= rounds; round++) {
        const { perSecond, p99Ms } = await load({ url, headers, body, seconds, connections });
        if (round === 0) continue;
        rates.push(perSecond * recipients);
        p99s.push(p99Ms);
      }
      figures.push(
        medianOf(rates, { engine, what: rate, unit: 'recipients/s' }, claim),
        medianOf(p99s, { engine, what: p99, unit: 'ms' }),
      );
    }
  } finally {
    await server.close();
  }
  return figures;
}

/** A 200 may still have rejected some recipients. */
async function insistOnAllAccepted(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<void> {
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
