/**
 * Claim: webhooks for every status keep up with sending, add at most a quarter to its cost, and a webhook that hangs
 * costs the others nothing.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { countUnderWay, openDirectly, postmaster } from './database.ts';
import { load } from './load.ts';
import { type Figure, medianOf, pause, type Report } from './measure.ts';
import type { Engine, Options } from './options.ts';
import { cpuMs, cpuMsWithChildren } from './process-usage.ts';
import { runWhenMain } from './run.ts';
import { startServer } from './server.ts';
import type { ReceiverCount } from './webhook-receiver.ts';

const connections = 50;
const body = JSON.stringify({
  to: ['46701740699'],
  message: 'Your appointment is tomorrow at 9:30. Please be there ten minutes early.',
});
/** SENT and DELIVERED. */
const eventsOfMessage = 2;
const drainLimitMs = 60_000;
const lookEveryMs = 500;

/** The variants alternate, so that all see the same machine. */
const variants = ['none', 'one', 'one beside one that hangs'] as const;
type Variant = (typeof variants)[number];

export async function webhooks(options: Options): Promise<Report> {
  const { quick, rounds = quick ? 1 : 3, seconds = quick ? 6 : 30 } = options;
  const figures: Figure[] = [];
  for (const engine of options.engines) {
    const measured: Round[] = [];
    for (let round = 0; round < rounds; round++) {
      const of: Partial<Record<Variant, Measured>> = {};
      for (const variant of variants) of[variant] = await measure(engine, variant, seconds);
      measured.push(of as Round);
    }
    figures.push(...summarise(engine, measured));
  }
  return { name: 'webhooks', claim, method: method(seconds), figures };
}

const claim =
  'Webhooks that report each status, with many events per post, keep up with the lifecycle of messages, add at most a quarter to its cost, and do not suffer from one that hangs.';

function method(seconds: number): readonly string[] {
  return [
    `As in the lifecycle benchmark: wrk, one thread, ${connections} connections for ${seconds} s, each message up to its receipt. Each round measures three variants one after the other, each in a fresh process on a fresh store: without a webhook, with one for message.status (batch: true), and with a second one whose receiver accepts connections but never answers.`,
    'The receiver is a process on the same cores that reads the posts and counts the events.',
    'Cost is the processor time of the server and of PostgreSQL per message, divided by that without a webhook in the same round. The receiver is not included.',
    'Behind is the time from the last receipt until the receiver has all events; a queue that grew under the load would make it long.',
  ];
}

interface Measured {
  readonly delivered: number;
  readonly perSecond: number;
  readonly cpuUsOfMessage: number;
  readonly behindMs: number;
  /** The number of events received, divided by the number that occurred. */
  readonly received: number;
  readonly posts: number;
}

type Round = Readonly<Record<Variant, Measured>>;

async function measure(engine: Engine, variant: Variant, seconds: number): Promise<Measured> {
  const receivers = await startReceivers(variant);
  const server = await startServer({ engine, webhooks: receivers.map(({ url }) => url) });
  const database = await openDirectly(server);
  try {
    const headers = { 'x-api-key': await server.apiKey() };
    const postgres = engine === 'postgres' ? await postmaster(database) : undefined;
    const usedMs = () => cpuMs(server.pid) + (postgres === undefined ? 0 : cpuMsWithChildren(postgres));
    // Waits until the nodes know that there is a listener.
    await pause(3_000);
    const before = usedMs();
    const startedAt = performance.now();
    const url = `${server.url}/restsms/svcrest/send`;
    const accepted = await load({ url, headers, body, seconds, connections });
    while ((await countUnderWay(database)) > 0) await pause(50);
    const doneAt = performance.now();
    const [receiver] = receivers;
    const wanted = accepted.answered * eventsOfMessage;
    let count: ReceiverCount = { events: 0, posts: 0 };
    while (receiver !== undefined && performance.now() - doneAt < drainLimitMs) {
      count = await receiver.count();
      if (count.events >= wanted) break;
      await pause(lookEveryMs);
    }
    const endedAt = performance.now();
    const delivered = accepted.answered;
    return {
      delivered,
      perSecond: delivered / ((doneAt - startedAt) / 1_000),
      cpuUsOfMessage: ((usedMs() - before) * 1_000) / delivered,
      behindMs: endedAt - doneAt,
      received: count.events / wanted,
      posts: count.posts,
    };
  } finally {
    await database.close();
    await server.close();
    for (const receiver of receivers) receiver.child.kill();
  }
}

interface Receiver {
  readonly child: ChildProcess;
  readonly url: string;
  count(): Promise<ReceiverCount>;
}

async function startReceivers(variant: Variant): Promise<readonly Receiver[]> {
  if (variant === 'none') return [];
  const counting = await startReceiver('counts');
  return variant === 'one' ? [counting] : [counting, await startReceiver('hangs')];
}

async function startReceiver(how: 'counts' | 'hangs'): Promise<Receiver> {
  const script = fileURLToPath(new URL('./webhook-receiver.ts', import.meta.url));
  const child = fork(script, [how], { execArgv: ['--import', 'tsx'] });
  const [port] = (await once(child, 'message')) as [number];
  return {
    child,
    url: `http://127.0.0.1:${port}/`,
    async count() {
      child.send('count');
      const [count] = (await once(child, 'message')) as [ReceiverCount];
      return count;
    },
  };
}

function summarise(engine: Engine, rounds: readonly Round[]): readonly Figure[] {
  const figure = (what: string, unit: string, of: (round: Round) => number, bound?: Figure['claim']) =>
    medianOf(rounds.map(of), { engine, what, unit }, bound);
  const cost = (round: Round, variant: Variant) => round[variant].cpuUsOfMessage / round.none.cpuUsOfMessage;
  return [
    ...variants.map((variant) =>
      figure(`DELIVERED, webhooks: ${variant}`, 'messages/s', (round) => round[variant].perSecond),
    ),
    figure('CPU of server and store, webhooks: none', 'µs/message', ({ none }) => none.cpuUsOfMessage),
    figure('cost with a webhook, relative to none', '', (round) => cost(round, 'one'), { atMost: 1.25 }),
    figure('cost beside one that hangs, relative to one alone', '', (round) => {
      return cost(round, 'one beside one that hangs') / cost(round, 'one');
    }),
    figure('behind after the load', 'ms', ({ one }) => one.behindMs, { atMost: 5_000 }),
    figure(
      'behind after the load, beside one that hangs',
      'ms',
      (round) => round['one beside one that hangs'].behindMs,
      { atMost: 5_000 },
    ),
    figure('events received, as a share of all events', '', ({ one }) => one.received, { atLeast: 1 }),
    figure('events per post', '', ({ one }) => (one.received * one.delivered * eventsOfMessage) / one.posts),
  ];
}

await runWhenMain(import.meta, webhooks);
