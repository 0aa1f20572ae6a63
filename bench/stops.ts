/** Claim: a server that is stopped under load answers every call that reached it. */
import { Agent, request } from 'node:http';
import { type Figure, pause, type Report } from './measure.ts';
import type { Options } from './options.ts';
import { runWhenMain } from './run.ts';
import { type Server, startServer } from './server.ts';

const loadMs = 700;
const body = JSON.stringify({ to: ['46701740699'], message: 'x' });

/** The callers: each kind of connection with its own pauses between calls. */
const crowds = {
  'kept connections': { clients: 40, keepAlive: true, pauseMs: 10 },
  'kept connections that are idle for a long time': { clients: 40, keepAlive: true, pauseMs: 1_500 },
  'new connections': { clients: 40, keepAlive: false, pauseMs: 10 },
} as const;
type Crowd = keyof typeof crowds;

export async function stops({ quick, rounds = quick ? 2 : 10 }: Options): Promise<Report> {
  const answers = new Map<Crowd, Record<string, number>>();
  const server = await startServer({ engine: 'sqlite' });
  const lasted: number[] = [];
  try {
    const key = await server.apiKey();
    for (let round = 0; round < rounds; round++) {
      if (round > 0) await server.start();
      lasted.push(await stopUnderLoad(server, key, answers));
    }
  } finally {
    await server.close();
  }
  const figures = [...answers].flatMap(([crowd, counts]) => figuresOf(crowd, counts));
  figures.push({ what: 'Longest stop', value: Math.round(Math.max(...lasted)), unit: 'ms' });
  return {
    name: 'stops',
    claim: 'A regular stop under load cuts off no call: each call is answered or finds the port closed.',
    method: [
      `${rounds} stops by SIGTERM, each ${loadMs} ms into a load of clients that go on calling until the process has ended. Calls that end after the signal are counted.`,
      `Clients: ${Object.entries(crowds)
        .map(([crowd, { clients, pauseMs }]) => `${clients} on ${crowd} (pauses of up to ${pauseMs} ms)`)
        .join(', ')}.`,
      'A call is cut off if its connection was established and ended without an answer.',
    ],
    figures,
  };
}

/** Returns the milliseconds from the signal to the end of the process. */
async function stopUnderLoad(
  server: Server,
  key: string,
  answers: Map<Crowd, Record<string, number>>,
): Promise<number> {
  let isOver = false;
  let isStopping = false;
  const agents: Agent[] = [];
  const callers = (Object.keys(crowds) as Crowd[]).flatMap((crowd) => {
    const { clients, keepAlive, pauseMs } = crowds[crowd];
    const agent = new Agent({ keepAlive });
    agents.push(agent);
    const counts = answers.get(crowd) ?? {};
    answers.set(crowd, counts);
    return Array.from({ length: clients }, async () => {
      while (!isOver) {
        const answer = await call(server.url, agent, key);
        if (isStopping) counts[answer] = (counts[answer] ?? 0) + 1;
        await pause(answer === 'ECONNREFUSED' ? 20 : Math.random() * pauseMs);
      }
    });
  });
  await pause(loadMs);
  isStopping = true;
  const stoppedAt = performance.now();
  await server.stop();
  const lastedMs = performance.now() - stoppedAt;
  isOver = true;
  await Promise.all(callers);
  for (const agent of agents) agent.destroy();
  return lastedMs;
}

function call(url: string, agent: Agent, key: string): Promise<string> {
  return new Promise((resolve) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const sent = request(`${url}/restsms/svcrest/send`, { agent, method: 'POST', headers });
    sent.on('response', (response) => {
      response.resume().on('end', () => resolve(String(response.statusCode)));
      response.on('error', (error) => resolve(error.message));
    });
    sent.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ECONNREFUSED' ? error.code : error.message),
    );
    sent.end(body);
  });
}

function figuresOf(crowd: Crowd, { ECONNREFUSED = 0, ...counts }: Record<string, number>): readonly Figure[] {
  const figures: Figure[] = [];
  let cutOff = 0;
  for (const [answer, value] of Object.entries(counts).sort()) {
    const isAnswer = /^\d+$/.test(answer);
    if (!isAnswer) cutOff += value;
    figures.push({ what: `${crowd}: ${isAnswer ? `answered ${answer}` : answer}`, value, unit: 'calls' });
  }
  figures.push({ what: `${crowd}: port closed`, value: ECONNREFUSED, unit: 'calls' });
  figures.push({ what: `${crowd}: cut off`, value: cutOff, unit: 'calls', claim: { atMost: 0 } });
  return figures;
}

await runWhenMain(import.meta, stops);
