/** The `carillon webhooks` commands of a user, which go through the API and cover the webhooks that the user sees. */
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '../foundation/errors.ts';
import type { AnswerOf, Api } from './api.ts';
import type { CallerOptions } from './as-caller.ts';
import { columnsBy, instant, type JsonOption, printChange, printList } from './list.ts';

export interface Named extends JsonOption {
  readonly company?: string;
}

/** For optional settings, false restores the default. */
export interface Settings extends Named {
  /** The Carillon server, if it is not the one on this machine. */
  readonly server?: string;
  readonly insecure?: boolean;
  readonly operator?: boolean;
  readonly url?: string;
  readonly events?: readonly string[];
  readonly user?: string | false;
  readonly statuses?: readonly string[] | false;
  readonly costCenter?: string | false;
  readonly conversationPrefix?: string | false;
  readonly ofBatch?: string | false;
  readonly batch?: boolean;
  readonly text?: boolean;
  readonly active?: boolean;
  readonly secret?: string | false;
}

export interface RotateOptions extends Named {
  readonly finish: boolean;
}

export interface AttemptOptions extends CallerOptions, JsonOption {
  readonly limit: number;
}

export interface ReplayOptions extends CallerOptions, JsonOption {
  readonly from: string;
  readonly to: string;
}

type Webhook = AnswerOf<'GET', '/api/v1/webhooks'>['webhooks'][number];
type Attempt = AnswerOf<'GET', '/api/v1/webhooks/{id}/attempts'>['attempts'][number];

/** As many webhooks as a company may have. */
const maxWebhooks = 10_000;

function allOf(api: Api): Promise<readonly Webhook[]> {
  return api.list('/api/v1/webhooks', 'webhooks', maxWebhooks);
}

/** The webhook's id, by which the API knows it. */
async function idOf(api: Api, name: string): Promise<number> {
  const all = await allOf(api);
  const [found, another] = all.filter((webhook) => webhook.name === name);
  if (found === undefined) throw new StartError(`There is no webhook or system user ${name}.`);
  if (another !== undefined)
    throw new StartError(
      `A webhook and a system user are both called ${name}. Use the id of the intended one through the API, or use the portal.`,
    );
  return Number(found.id);
}

interface Row extends Pick<Webhook, 'name' | 'lastSeq' | 'lost' | 'url'> {
  readonly owner: string;
  readonly state: string;
  readonly waiting: number;
  /** The API does not report these. */
  readonly company?: string;
  readonly retries?: number;
  readonly givenUp?: number;
}

/** Undefined when unknown. */
const countOf = (count: number | undefined) => (count === undefined ? undefined : String(count));

export const webhookColumns = {
  COMPANY: ({ company }: Row) => company,
  WEBHOOK: ({ name }: Row) => name,
  OF: ({ owner }: Row) => owner,
  STATE: ({ state }: Row) => state,
  EVENTS: ({ lastSeq }: Row) => String(lastSeq),
  WAITING: ({ waiting }: Row) => String(waiting),
  RETRIES: ({ retries }: Row) => countOf(retries),
  'GIVEN UP': ({ givenUp }: Row) => countOf(givenUp),
  LOST: ({ lost }: Row) => String(lost),
  URL: ({ url }: Row) => url,
};

export async function listOwn(api: Api, options: CallerOptions & JsonOption): Promise<void> {
  const none = 'There are no webhooks. To add one: carillon webhooks add';
  printList(await allOf(api), { none, columns: columnsBy(rowOf, webhookColumns) }, options);
}

function rowOf(webhook: Webhook): Row {
  const { name, kind, username, lastSeq, backlog: waiting, lost, url } = webhook;
  const owner = kind === 'callback' ? 'system user' : (username ?? 'company');
  return { name, owner, state: stateOf(webhook), lastSeq, waiting, lost, url };
}

function stateOf({ state, failingSince, disabledSince, disabledWhy }: Webhook): string {
  if (disabledSince !== undefined) return `${state}: ${disabledWhy}`;
  return failingSince === undefined ? state : `${state} since ${instant(failingSince)}`;
}

interface Tried extends Pick<Attempt, 'time' | 'firstSeq' | 'events' | 'tries' | 'milliseconds' | 'answer'> {
  readonly address?: string | undefined;
  readonly statusCode?: number | undefined;
  readonly error?: string | undefined;
}

export const noAttempts = 'Nothing was posted recently.';
export const attemptColumns = {
  TIME: ({ time }: Tried) => instant(time),
  EVENTS: ({ firstSeq, events }: Tried) => (events === 1 ? String(firstSeq) : `${events} from ${firstSeq}`),
  TRY: ({ tries }: Tried) => String(tries),
  ADDRESS: ({ address }: Tried) => address ?? '-',
  OUTCOME: ({ statusCode, error }: Tried) => String(statusCode ?? error ?? ''),
  MS: ({ milliseconds }: Tried) => String(milliseconds),
  ANSWER: ({ answer }: Tried) => answer.slice(0, 60).replaceAll(/\s+/g, ' '),
};
const attemptShape = { none: noAttempts, columns: attemptColumns };

export async function listOwnAttempts(api: Api, name: string, options: AttemptOptions): Promise<void> {
  const id = await idOf(api, name);
  const path = '/api/v1/webhooks/{id}/attempts';
  printList(await api.list(path, 'attempts', options.limit, { id }), attemptShape, options);
}

/**
 * The maximum number of polls, one second apart. Together they last longer than an attempt, including the server's delay
 * before it.
 */
const maxPolls = 20;

export async function testOwn(api: Api, name: string, options: JsonOption): Promise<void> {
  const id = await idOf(api, name);
  const { seq } = await api.post('/api/v1/webhooks/{id}/test', { id });
  for (let poll = 0; poll < maxPolls; poll++) {
    const { attempts } = await api.get('/api/v1/webhooks/{id}/attempts', { id, limit: 200 });
    const tried = attempts.filter(({ firstSeq, events }) => firstSeq <= seq && seq < firstSeq + events);
    if (tried.length > 0) return printList(tried, attemptShape, options);
    await delay(1_000);
  }
  throw new StartError(
    `The test is event ${seq} of ${name} and is still waiting. To see more: carillon webhooks list`,
  );
}

export async function replayOwn(api: Api, name: string, options: ReplayOptions): Promise<void> {
  const id = await idOf(api, name);
  const { from, to } = options;
  const { events } = await api.post('/api/v1/webhooks/{id}/replay', { id, from, to });
  tellReplay(name, events, options);
}

/** Says how many events a replay posts again, as a user or as the operator. */
export function tellReplay(name: string, events: number, options: JsonOption): void {
  const sentence =
    events === 0 ? 'No events from that period are kept.' : `Events to be posted again: ${events}.`;
  printChange({ webhook: name, events }, [sentence], options);
}

export async function enableOwn(api: Api, name: string, options: JsonOption): Promise<void> {
  const id = await idOf(api, name);
  const { lost } = await api.post('/api/v1/webhooks/{id}/enable', { id });
  printChange({ webhook: name, enabled: true, lost }, [`Posting to ${name} has resumed.`], options);
}

export async function disableOwn(api: Api, name: string, options: JsonOption): Promise<void> {
  const id = await idOf(api, name);
  await api.post('/api/v1/webhooks/{id}/disable', { id });
  const sentence = `Nothing is posted to ${name} until it is enabled.`;
  printChange({ webhook: name, enabled: false }, [sentence], options);
}

export async function addOwn(api: Api, name: string, options: Settings): Promise<void> {
  if (options.secret !== undefined)
    throw new StartError('The server generates the secret. Leave --secret and --no-secret out.');
  const { secret, ...webhook } = await api.post('/api/v1/webhooks', { name, ...settingsOf(options) });
  printChange({ ...webhook, secret }, [`${name} has been created.`, `secret: ${secret}`], options);
}

export async function changeOwn(api: Api, name: string, options: Settings): Promise<void> {
  const id = await idOf(api, name);
  const webhook = await api.patch('/api/v1/webhooks/{id}', { id, ...settingsOf(options) });
  printChange(webhook, [`${name} has been changed.`], options);
}

export async function rotateOwn(api: Api, name: string, options: RotateOptions): Promise<void> {
  const id = await idOf(api, name);
  if (options.finish) {
    const webhook = await api.post('/api/v1/webhooks/{id}/finish-rotation', { id });
    return printChange(webhook, [`Posts to ${name} are signed with the newest secret only.`], options);
  }
  const webhook = await api.post('/api/v1/webhooks/{id}/rotate', { id });
  const sentence = `Posts to ${name} are signed with the old secret too until rotate --finish.`;
  printChange(webhook, [sentence, `secret: ${webhook.secret}`], options);
}

export async function removeOwn(api: Api, name: string, options: Named): Promise<void> {
  const id = await idOf(api, name);
  printChange(await api.remove('/api/v1/webhooks/{id}', { id }), [`${name} has been removed.`], options);
}

/** In the API's vocabulary, in which an empty value restores the default; properties that are not given are left out. */
function settingsOf(said: Settings) {
  const { url, events, batch, active, text } = said;
  const textOf = (given: string | false | undefined) => (given === false ? '' : given);
  return {
    url,
    events,
    batch,
    active,
    text: text === undefined ? undefined : text ? 'full' : 'none',
    user: textOf(said.user),
    statuses: said.statuses === false ? [] : said.statuses,
    costCenter: textOf(said.costCenter),
    conversationPrefix: textOf(said.conversationPrefix),
    batchId: textOf(said.ofBatch),
  };
}
