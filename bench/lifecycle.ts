/** Claim: from HTTP to DELIVERED, durable at every step and with a receipt for each, on the cores that make the load too. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import pg from 'pg';
import { type Figure, load, median, type Report, runWhenMain } from './measure.ts';
import { engines, type Server, startServer } from './server.ts';

const seconds = Number(process.env.BENCH_SECONDS ?? 60);
const connections = 50;
const body = JSON.stringify({
  to: ['46701740699'],
  message: 'Your appointment is tomorrow at 9:30. Please be there ten minutes early.',
});
/** What is still under way when the load ends must be delivered within this time. */
const drainMs = 15_000;

export async function lifecycle(): Promise<Report> {
  const figures: Figure[] = [];
  for (const engine of engines) {
    const server = await startServer({ engine, receiptDelayMs: 500 });
    const memories: number[] = [];
    const sampler = setInterval(() => memories.push(server.memory()), 1_000);
    const startedAt = performance.now();
    const url = `${server.url}/restsms/svcrest/send`;
    const accepted = await load({ url, headers: { 'x-api-key': server.apiKey }, body, seconds, connections });
    const backlog = await countOpen(server);
    const doneAt = await waitUntilDelivered(server);
    clearInterval(sampler);
    const total = await countAll(server);
    await server.close();
    if (accepted.failed > 0) throw new Error(`${accepted.failed} requests failed`);
    const half = Math.floor(memories.length / 2);
    figures.push(
      { what: `${engine}: accepted`, value: accepted.perSecond, unit: 'messages/s' },
      { what: `${engine}: accept p99`, value: accepted.p99Ms, unit: 'ms', claim: { atMost: 50 } },
      {
        what: `${engine}: delivered, from the first request to the last receipt`,
        value: total / ((doneAt - startedAt) / 1_000),
        unit: 'messages/s',
        ...(engine === 'sqlite' ? { claim: { atLeast: 10_000 } } : {}),
      },
      { what: `${engine}: not yet delivered when the load ended`, value: backlog, unit: 'messages' },
      { what: `${engine}: memory, first half`, value: median(memories.slice(0, half)), unit: 'MiB' },
      { what: `${engine}: memory, second half`, value: median(memories.slice(half)), unit: 'MiB' },
    );
  }
  return { name: 'lifecycle', figures };
}

async function waitUntilDelivered(server: Server): Promise<number> {
  const deadline = performance.now() + drainMs;
  while ((await countOpen(server)) > 0) {
    if (performance.now() > deadline) throw new Error('messages are left that were not delivered');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return performance.now();
}

function countOpen(server: Server): Promise<number> {
  return count(server, 'SELECT COUNT(*) AS n FROM messages WHERE stage IS NOT NULL');
}

function countAll(server: Server): Promise<number> {
  return count(server, 'SELECT COUNT(*) AS n FROM messages WHERE status = 2');
}

/** Looks into the store itself, past the server. */
async function count({ databaseUrl, dataFolder }: Server, statement: string): Promise<number> {
  if (databaseUrl !== undefined) {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const { rows } = await client.query<{ n: string }>(statement);
    await client.end();
    return Number(rows[0]?.n);
  }
  const { DatabaseSync } = createRequire(import.meta.url)(
    '@photostructure/sqlite',
  ) as typeof import('@photostructure/sqlite');
  const database = new DatabaseSync(join(dataFolder, 'carillon.db'), { readOnly: true });
  const row = database.prepare(statement).get() as { n: number };
  database.close();
  return row.n;
}

await runWhenMain(import.meta, lifecycle);
