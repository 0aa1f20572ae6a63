/** Claim: a server on a used store is ready moments after its start, and takes little memory. */
import { openDirectly } from './database.ts';
import { load } from './load.ts';
import { type Figure, medianOf, pause, type Report } from './measure.ts';
import type { Engine, Options } from './options.ts';
import { memoryOf } from './process-usage.ts';
import { runWhenMain } from './run.ts';
import { startServer } from './server.ts';
import { makeOriginals, stock } from './stock.ts';

const messages = 100_000;
const connections = 50;
const body = JSON.stringify({
  to: ['46701740699'],
  message: 'Your appointment is tomorrow at 9:30. Please be there ten minutes early.',
});

export async function start(options: Options): Promise<Report> {
  const idleSeconds = options.quick ? 3 : 10;
  const figures: Figure[] = [];
  for (const engine of options.engines) figures.push(...(await measure(engine, options, idleSeconds)));
  return {
    name: 'start',
    claim: `On a store with ${messages.toLocaleString('en')} messages a server is ready within a second and takes less than 150 MiB while idle.`,
    method: [
      '`node bin/carillon.js serve` from the built program, all roles, with a provisioning file that was already applied; timed from the start of the process to the first 200 of /readyz, polled every 3 ms. The files are in the system cache.',
      'Once after a regular stop, once after the server was killed under load.',
      `Memory is the resident set, including libraries and mapped files: ${idleSeconds} s after a start without any requests, and as long after a load of /send. PostgreSQL's memory is not included.`,
    ],
    figures,
  };
}

async function measure(engine: Engine, options: Options, idleSeconds: number): Promise<readonly Figure[]> {
  const { quick, rounds = quick ? 1 : 5, seconds = quick ? 2 : 10 } = options;
  const afterStop: number[] = [];
  const afterKill: number[] = [];
  const idle: number[] = [];
  const afterLoad: number[] = [];
  const server = await startServer({ engine });
  try {
    const database = await openDirectly(server);
    await makeOriginals(server, database);
    await stock(database, messages);
    await database.close();
    // The log of messages lacks the copies: a server that starts would be busy adding them.
    await server.run('check');
    const headers = { 'x-api-key': await server.apiKey() };
    const wanted = { url: `${server.url}/restsms/svcrest/send`, headers, body, connections };
    for (let round = 0; round < rounds; round++) {
      await server.stop();
      afterStop.push(await server.start());
      // Memory is measured once, because what a load leaves behind grows with each round.
      if (round === 0) {
        await pause(idleSeconds * 1_000);
        idle.push(memoryOf(server.pid).total);
        await load({ ...wanted, seconds });
        await pause(idleSeconds * 1_000);
        afterLoad.push(memoryOf(server.pid).total);
      }
      const broken = load({ ...wanted, seconds: 1, mayBreak: true });
      await pause(500);
      await server.stop('SIGKILL');
      await broken;
      afterKill.push(await server.start());
    }
  } finally {
    await server.close();
  }
  return [
    medianOf(afterStop, { engine, what: 'ready after a regular stop', unit: 'ms' }, { atMost: 1_000 }),
    medianOf(afterKill, { engine, what: 'ready after it was killed', unit: 'ms' }, { atMost: 1_000 }),
    medianOf(idle, { engine, what: 'memory, idle after the start', unit: 'MiB' }, { atMost: 150 }),
    medianOf(afterLoad, { engine, what: 'memory, idle after a load', unit: 'MiB' }),
  ];
}

await runWhenMain(import.meta, start);
