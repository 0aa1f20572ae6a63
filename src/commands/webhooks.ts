/** `carillon webhooks`: the operator's commands for webhooks and callbacks. A running server sees a change within seconds. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import { operator } from '../audit/audit-log.ts';
import { systemClock } from '../foundation/clock.ts';
import { StartError } from '../foundation/errors.ts';
import { shownError } from '../foundation/sentences.ts';
import { print, printError, printJson } from '../foundation/terminal.ts';
import type { Store } from '../storage/store.ts';
import type { EndpointAct, ListedEndpoint } from '../webhooks/management/administration-store.ts';
import type { Attempt } from '../webhooks/sending/sending-store.ts';
import { actsAsEither, type CallerOptions } from './as-caller.ts';
import { addChanges } from './change-webhooks.ts';
import {
  columnsBy,
  instant,
  iso,
  type JsonOption,
  jsonOption,
  limitOption,
  printChange,
  printList,
} from './list.ts';
import {
  type AttemptOptions,
  attemptColumns,
  disableOwn,
  enableOwn,
  listOwn,
  listOwnAttempts,
  noAttempts,
  type ReplayOptions,
  replayOwn,
  tellReplay,
  testOwn,
  webhookColumns,
} from './own-webhooks.ts';
import { stopOnSignal } from './stop-on-signal.ts';
import { tellServer } from './tell-server.ts';

const ofCompany = ['--company <name>', 'only webhooks of this company'] as const;
const shown = 20;
const maxShown = 1_000;

export function webhooksCommand(): Command {
  const webhooks = new Command('webhooks');
  const add = (name: string, description: string) =>
    webhooks
      .command(name)
      .description(description)
      .option(...ofCompany);
  actsAsEither(add('list', 'show who receives which events, and how many wait'), listOwn, list);
  const described = 'show the latest attempts to post, by the id of a webhook or the name of a system user';
  const listing = add('attempts <webhook>', described).addOption(limitOption(shown, maxShown));
  actsAsEither(listing, listOwnAttempts, attempts);
  const testing = 'post a test event, and show the response';
  actsAsEither(add('test <webhook>', testing), testOwn, test);
  const replaying = add(
    'replay <webhook>',
    'post the events of a period again; write times as 2030-12-31T23:59Z',
  )
    .requiredOption('--from <time>', 'the beginning of the period')
    .requiredOption('--to <time>', 'the end of the period');
  actsAsEither(replaying, replayOwn, replay);
  actsAsEither(add('enable <webhook>', 'resume posting to a webhook'), enableOwn, enable);
  actsAsEither(
    add('disable <webhook>', 'post nothing to a webhook until it is enabled'),
    disableOwn,
    disable,
  );
  addChanges(webhooks);
  webhooks
    .command('listen')
    .description('receive webhooks in the terminal: verify and print them, and fail on request')
    .requiredOption('--secret <secret>', 'whsec_…')
    .option('--port <port>', 'the port to listen at on 127.0.0.1', '9000')
    .option('--fail <count>', 'how many posts to answer with 500 first', '0')
    .option(...jsonOption)
    .action(listen);
  return webhooks;
}

type Administration = typeof import('../webhooks/management/administration-store.ts');

async function administer(work: (store: Store, verbs: Administration) => Promise<void>): Promise<void> {
  const [{ readConfig }, { withStore }, verbs] = await Promise.all([
    import('../config/config.ts'),
    import('../app/open-store.ts'),
    import('../webhooks/management/administration-store.ts'),
  ]);
  await withStore(readConfig(process.env), (store) => work(store, verbs));
}

/** The webhook of that name; several companies may each have one of that name. */
async function find(
  store: Store,
  { listEndpoints }: Administration,
  name: string,
  company: string | undefined,
): Promise<ListedEndpoint> {
  const [found, another] = await store.read(listEndpoints, { company: company ?? null, name });
  if (found === undefined) throw new StartError(`There is no webhook or system user ${name}.`);
  if (another !== undefined)
    throw new StartError(`There are several webhooks or system users ${name}. Give --company.`);
  return found;
}

function actOn({ id: endpointId }: ListedEndpoint): EndpointAct {
  return { endpointId, now: systemClock.now(), by: operator };
}

function list({ company, json = false }: CallerOptions & JsonOption): Promise<void> {
  return administer(async (store, { listEndpoints }) => {
    const { eventTypes, itemsOf } = await import('../webhooks/endpoint.ts');
    printList(
      await store.read(listEndpoints, { company: company ?? null, name: null }),
      {
        none: 'There are no webhooks. Add one with carillon webhooks add, or in the provisioning file.',
        columns: columnsBy(rowOf, webhookColumns),
        toJson: ({ events, failingSince, disabledAt, ...endpoint }) => ({
          ...endpoint,
          events: itemsOf(eventTypes, events),
          state: stateOf({ ...endpoint, failingSince, disabledAt, events }),
          failingSince: iso(failingSince ?? undefined) ?? null,
          disabledAt: iso(disabledAt ?? undefined) ?? null,
        }),
      },
      { json },
    );
  });
}

function rowOf(endpoint: ListedEndpoint) {
  const { company, name, systemUserId, username, lastSeq, doneSeq, waiting, givenUp, lost, url } = endpoint;
  const owner = systemUserId === null ? (username ?? 'company') : 'system user';
  const counts = { lastSeq, waiting: lastSeq - doneSeq, retries: waiting, givenUp, lost };
  return { company, name, owner, state: stateOf(endpoint), ...counts, url };
}

function stateOf({ active, disabledAt, disabledReason, failingSince, replayNext }: ListedEndpoint): string {
  if (active === 0) return 'not active';
  if (disabledAt !== null) return `disabled: ${disabledReason}`;
  if (failingSince !== null) return `failing since ${instant(failingSince)}`;
  return replayNext === null ? 'works' : 'works, with a replay under way';
}

function attemptRow({ at, firstSeq, events, tries, address, status, error, durationMs, answer }: Attempt) {
  const outcome = { statusCode: status ?? undefined, error: shownError(error).error };
  const tried = { firstSeq, events, tries, address: address ?? undefined };
  return { time: iso(at), ...tried, ...outcome, milliseconds: durationMs, answer };
}

const attemptShape = {
  none: noAttempts,
  columns: columnsBy(attemptRow, attemptColumns),
  toJson: ({ at, error, ...attempt }: Attempt) => ({
    at: iso(at),
    ...attempt,
    error: shownError(error).error ?? null,
  }),
};

async function attempts(name: string, { company, limit, json = false }: AttemptOptions): Promise<void> {
  await administer(async (store, verbs) => {
    const { id } = await find(store, verbs, name, company);
    const found = await store.read(verbs.listAttempts, { endpointId: id, limit });
    printList(found, attemptShape, { json });
  });
}

/** Longer than an attempt takes, including the server's delay before it starts. */
const testPatienceMs = 20_000;
const lookEveryMs = 200;

function test(name: string, { company, json = false }: CallerOptions & JsonOption): Promise<void> {
  return administer(async (store, verbs) => {
    const endpoint = await find(store, verbs, name, company);
    if (endpoint.active === 0) throw new StartError(`${name} is not active, so nothing is posted to it.`);
    const seq = await store.write(verbs.queueTest, actOn(endpoint));
    if (seq === null)
      throw new StartError(`${name} is disabled. To enable it: carillon webhooks enable ${name}`);
    for (let waitedMs = 0; waitedMs < testPatienceMs; waitedMs += lookEveryMs) {
      const latest = await store.read(verbs.listAttempts, { endpointId: endpoint.id, limit: shown });
      const tried = latest.filter(({ firstSeq, events }) => firstSeq <= seq && seq < firstSeq + events);
      if (tried.length > 0) return printList(tried, attemptShape, { json });
      await delay(lookEveryMs);
    }
    const why = whyItWaits(await find(store, verbs, name, company));
    throw new StartError(`The test is event ${seq} of ${name}, and is still waiting: ${why}`);
  });
}

function whyItWaits({ name, failingSince, disabledAt }: ListedEndpoint): string {
  if (disabledAt !== null)
    return `${name} has meanwhile been disabled. To enable it: carillon webhooks enable ${name}`;
  if (failingSince === null) return 'no dispatching server is running, or other events are ahead of it.';
  return (
    `posts to ${name} have been failing since ${instant(failingSince)} (carillon webhooks attempts ${name}). ` +
    `Once the receiver works again: carillon webhooks enable ${name}`
  );
}

async function timeOf(text: string): Promise<number> {
  const { parseTime } = await import('../wire/schedule-time.ts');
  const time = parseTime(text);
  if (time.ok) return time.value;
  throw new StartError(time.error);
}

async function replay(name: string, { company, from, to, ...options }: ReplayOptions): Promise<void> {
  const range = { from: await timeOf(from), to: await timeOf(to) };
  await administer(async (store, verbs) => {
    const endpoint = await find(store, verbs, name, company);
    const count = await store.write(verbs.beginReplay, { ...actOn(endpoint), ...range });
    if (count === null)
      throw new StartError(`A replay to ${name} is already under way: carillon webhooks list`);
    tellReplay(name, count, options);
    if (count > 0) await tell(`webhooks replay ${name} ${from} ${to}: ${count}`);
  });
}

function enable(name: string, { company, ...options }: CallerOptions & JsonOption): Promise<void> {
  return administer(async (store, verbs) => {
    const endpoint = await find(store, verbs, name, company);
    const { lost } = endpoint;
    await store.write(verbs.enableEndpoint, actOn(endpoint));
    const sentences = [`Posting to ${name} has resumed.`];
    if (lost > 0)
      sentences.push(
        `${lost} events since ${name} was created were not kept: their numbers will be missing from what the receiver gets.`,
      );
    printChange({ webhook: name, enabled: true, lost }, sentences, options);
    await tell(`webhooks enable ${name}`);
  });
}

function disable(name: string, { company, ...options }: CallerOptions & JsonOption): Promise<void> {
  return administer(async (store, verbs) => {
    await store.write(verbs.disableEndpoint, actOn(await find(store, verbs, name, company)));
    const sentence = `Nothing is posted to ${name} until it is enabled. Events until then are counted, but not kept.`;
    printChange({ webhook: name, enabled: false }, [sentence], options);
    await tell(`webhooks disable ${name}`);
  });
}

async function tell(object: string): Promise<void> {
  const { readConfig } = await import('../config/config.ts');
  await tellServer(readConfig(process.env), { event: 'operator_command', object });
}

interface ListenOptions extends JsonOption {
  readonly secret: string;
  readonly port: string;
  readonly fail: string;
}

const maxBodyBytes = 1_024 * 1_024;

/** A receiver in the terminal, which shows what is posted before a real receiver exists. */
async function listen({ secret, port, fail, json = false }: ListenOptions): Promise<void> {
  const [{ keyOfSecret }, { faultOfSigned }] = await Promise.all([
    import('../webhooks/endpoint.ts'),
    import('../webhooks/posting/signature.ts'),
  ]);
  const key = keyOfSecret(secret);
  if (key === undefined) throw new StartError('The secret must be whsec_ and 24 to 64 octets in base64.');
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new StartError(`There is no port ${port}.`);
  if (!/^\d{1,6}$/.test(fail)) throw new StartError('--fail takes a number of posts.');
  let toFail = Number(fail);
  const server = createServer((request, response) => {
    void receive(request, response);
  });
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const now = systemClock.now();
    const fault =
      body === undefined
        ? 'the body is larger than 1 MiB'
        : faultOfSigned(request.headers, body, { key: key as Buffer, now });
    const status = fault !== undefined ? 401 : toFail > 0 ? 500 : 200;
    if (status === 500) toFail -= 1;
    response.writeHead(status).end();
    const id = String(request.headers['webhook-id'] ?? '-').slice(0, 100);
    if (json) return printJson({ at: new Date(now).toISOString(), id, status, fault, body: asJson(body) });
    print(`${instant(now)}  ${id}  answered ${status}${fault === undefined ? '' : `: ${fault}`}`);
    if (fault === undefined) print(body ?? '');
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new StartError(`The port ${port} cannot be opened: ${error.message}.`)),
    );
    server.listen(Number(port), '127.0.0.1', resolve);
  });
  const address = server.address();
  const taken = typeof address === 'object' ? address?.port : undefined;
  printError(`Listening at http://127.0.0.1:${taken}/. Ctrl-C ends it.`);
  await new Promise<void>((resolve) => {
    server.once('close', resolve);
    stopOnSignal(async () => {
      server.closeAllConnections();
      server.close();
    });
  });
}

/** Undefined when the body is too large. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maxBodyBytes) chunks.push(chunk);
  }
  return size <= maxBodyBytes ? Buffer.concat(chunks).toString('utf8') : undefined;
}

function asJson(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? '');
  } catch {
    // The body is not JSON, and is shown unchanged.
    return body;
  }
}
