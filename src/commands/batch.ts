/** `carillon batch`: shows a batch's progress, lists batches, and stops one. */
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Command } from 'commander';
import { type BatchCode, describeBatchCode, isUnderWay, parseBatchId } from '../batches/batch.ts';
import { abortForOperator } from '../batches/management/acting-on-batch.ts';
import { type InspectedBatch, inspectBatch, listBatches } from '../batches/reading/info.ts';
import { waitsUntil } from '../batches/reading/waiting.ts';
import { systemClock } from '../foundation/clock.ts';
import { StartError } from '../foundation/errors.ts';
import { readReason, shownReason } from '../foundation/sentences.ts';
import { print, printJson, reprint } from '../foundation/terminal.ts';
import { statusNames } from '../messages/message.ts';
import { type AnswerOf, type Api, lookElsewhereEveryMs } from './api.ts';
import { actsAsEither, type CallerOptions, refuseOptionsBefore } from './as-caller.ts';
import { inStore } from './as-operator.ts';
import {
  columnsBy,
  factLines,
  instant,
  iso,
  type JsonOption,
  limitOption,
  printChange,
  printList,
} from './list.ts';
import { tellServer } from './tell-server.ts';

const defaultShown = 20;
const maxShown = 1_000;

export function batchCommand(): Command {
  const batch = new Command('batch').argument('<id>', 'id of the batch, as returned when it was sent');
  refuseOptionsBefore(actsAsEither(batch.enablePositionalOptions(), showAsUser, show)).option(
    '--watch',
    'keep showing the batch until none of its messages is waiting',
  );
  actsAsEither(batch.command('list'), listAsUser, list)
    .description('list the latest batches, newest first')
    .addOption(limitOption(defaultShown, maxShown));
  actsAsEither(batch.command('abort <id>'), abortAsUser, abort).description(
    'stop a batch: messages not yet handed to a carrier are not sent, and their quota is returned',
  );
  return batch;
}

interface ShowOptions extends CallerOptions, JsonOption {
  readonly watch?: boolean;
}

type OwnBatch = AnswerOf<'GET', '/api/v1/batches'>['batches'][number];

type Time = number | string;

/** The properties of a batch that every viewer sees. */
type Row = Pick<OwnBatch, 'id' | 'username' | 'messages' | 'parts' | 'duplicates'> & {
  readonly company?: string;
  readonly conversation: string;
  readonly accepted: Time;
  readonly changed: Time;
  readonly state: string;
  readonly reason: string | undefined;
  /** When the send hours of its company begin, if the batch waits for them. */
  readonly waitsUntil: Time | undefined;
  readonly isTakenBack?: boolean;
  /** Shown to the operator. */
  readonly made?: number;
  /** Shown to users: how many messages were handed to carriers. */
  readonly sent?: number;
  readonly counts: readonly (readonly [string | undefined, number])[];
};

const columns = {
  BATCH: ({ id }: Row) => id,
  OF: ({ username }: Row) => username,
  ACCEPTED: ({ accepted }: Row) => instant(accepted),
  STATE: ({ state }: Row) => state,
  MADE: ({ made }: Row) => made?.toString(),
  SENT: ({ sent }: Row) => sent?.toString(),
  MESSAGES: ({ messages }: Row) => String(messages),
  CONVERSATION: ({ conversation }: Row) => conversation,
};

function linesOf(batch: Row): readonly string[] {
  const { username, company, messages, made, sent, waitsUntil, duplicates } = batch;
  const barOf = (done: number | undefined) =>
    done === undefined ? undefined : `${bar(done, messages)} ${done} of ${messages} messages`;
  const waits =
    waitsUntil === undefined
      ? undefined
      : `until ${instant(waitsUntil)}, when its company’s send hours begin`;
  return factLines([
    ['batch', batch.id],
    ['of', company === undefined ? username : `${username} (${company})`],
    ['called', batch.conversation || undefined],
    ['accepted', instant(batch.accepted)],
    ['state', `${batch.state} since ${instant(batch.changed)}`],
    ['reason', batch.reason],
    ['waits', waits],
    ['now', batch.isTakenBack ? 'messages not yet handed to a carrier are being taken back' : undefined],
    ['made', barOf(made)],
    ['sent', barOf(sent)],
    ['parts', `${batch.parts}${duplicates > 0 ? `, ${duplicates} duplicates left out` : ''}`],
    ['now', batch.counts.map(([name, count]) => `${name?.padEnd(20)}${count}`)],
  ]);
}

const barWidth = 30;

/** The bar is full only when everything is done. */
function bar(done: number, all: number): string {
  const filled = all === 0 ? 0 : Math.floor((done / all) * barWidth);
  const percent = all === 0 ? 0 : Math.floor((done / all) * 100);
  return `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}] ${String(percent).padStart(3)} %`;
}

async function showAsUser(api: Api, id: string, options: ShowOptions): Promise<void> {
  const look = async () => {
    const batch = await api.get('/api/v1/batches/{id}', { id });
    const isUnderWay = ['preparing', 'scheduled', 'held', 'sending', 'paused'].includes(batch.state);
    const isAtRest = !isUnderWay && batch.totals.waiting === 0;
    return { lines: linesOf(ownRow(batch)), json: batch, isAtRest };
  };
  await present(look, lookElsewhereEveryMs, options);
}

/** A batch as the API reports it to its user. */
function ownRow(batch: OwnBatch): Row {
  const { totals } = batch;
  return {
    ...batch,
    conversation: batch.batchConversation,
    state: ownStateOf(batch),
    reason: batch.reason,
    waitsUntil: batch.heldTill,
    sent: totals.sent + totals.delivered + totals.failed,
    counts: Object.entries(totals),
  };
}

function ownStateOf({ batchStatusCode, batchStatusDescription, state }: OwnBatch): string {
  return `${batchStatusCode} ${batchStatusDescription} (${state})`;
}

const watchEveryMs = 500;

async function show(id: string, options: ShowOptions): Promise<void> {
  const batchId = parseBatchId(id);
  await inStore((store) => {
    const look = async () => {
      const batch = batchId === undefined ? null : await store.read(inspectBatch, batchId);
      if (batch === null) throw new StartError(`There is no batch ${id}.`);
      return { lines: linesOf(rowOf(batch)), json: toJson(batch), isAtRest: isAtRest(batch) };
    };
    return present(look, watchEveryMs, options);
  });
}

type Counted = InspectedBatch & {
  readonly counts: readonly { readonly status: number; readonly messages: number }[];
};

function rowOf(batch: Counted): Row {
  const { id, createdAt, changedAt, code, reason, clearing, expanded, counts } = batch;
  return {
    ...batch,
    id: String(id),
    accepted: createdAt,
    changed: changedAt,
    state: stateOf(code),
    reason: reason === null ? undefined : readReason(reason).text,
    waitsUntil: waitsUntil(batch, systemClock.now()),
    isTakenBack: clearing === 1,
    made: expanded,
    counts: counts.map(({ status, messages }) => [statusNames[status], messages]),
  };
}

function stateOf(code: BatchCode): string {
  return `${code} ${describeBatchCode(code)}`;
}

const queued = statusNames.indexOf('QUEUED');

/** Only news from carriers can still change the batch. */
function isAtRest({ code, clearing, counts }: Counted): boolean {
  return !isUnderWay(code) && clearing === 0 && counts.every(({ status }) => status !== queued);
}

function toJson(found: Counted) {
  const { counts, clearing, notBefore, firstMessageId, sendHours, ...batch } = found;
  return {
    ...batch,
    waitsUntil: waitsUntil(found, systemClock.now()),
    ...shownReason(batch.reason),
    description: describeBatchCode(batch.code),
    firstMessageId,
    takingBack: clearing === 1,
    statuses: Object.fromEntries(counts.map(({ status, messages }) => [statusNames[status], messages])),
  };
}

/** A snapshot of a batch. */
interface Picture {
  readonly lines: readonly string[];
  readonly json: object;
  readonly isAtRest: boolean;
}

/** Prints once, or again with each change; on a terminal it replaces the previous output. */
async function present(
  look: () => Promise<Picture>,
  everyMs: number,
  { watch, json }: ShowOptions,
): Promise<void> {
  let last: readonly string[] = [];
  let seen: unknown;
  for (;;) {
    const picture = await look();
    if (!watch) return json ? printJson(picture.json, 2) : print(...picture.lines);
    const shown = json ? [JSON.stringify(picture.json)] : picture.lines;
    // The pace changes all the time, so it is ignored here.
    const now = json ? { ...picture.json, speed: undefined, secondsLeft: undefined } : picture.lines;
    if (!isDeepStrictEqual(now, seen)) {
      reprint(json ? 0 : last.length, shown);
      last = shown;
      seen = now;
    }
    if (picture.isAtRest) return;
    await delay(everyMs);
  }
}

interface ListOptions extends CallerOptions, JsonOption {
  readonly limit: number;
}

const none = 'There are no batches.';

async function listAsUser(api: Api, options: ListOptions): Promise<void> {
  const batches = await api.list('/api/v1/batches', 'batches', options.limit);
  printList(batches, { none, columns: columnsBy(ownRow, columns) }, options);
}

async function list(options: ListOptions): Promise<void> {
  const toJson = ({ createdAt, ...batch }: InspectedBatch) => ({
    ...batch,
    ...shownReason(batch.reason),
    createdAt: iso(createdAt),
    description: describeBatchCode(batch.code),
  });
  await inStore(async (store) => {
    const batches = await store.read(listBatches, options.limit);
    const row = (batch: InspectedBatch) => rowOf({ ...batch, counts: [] });
    printList(batches, { none, columns: columnsBy(row, columns), toJson }, options);
  });
}

async function abortAsUser(api: Api, id: string, options: CallerOptions & JsonOption): Promise<void> {
  const batch = await api.post('/api/v1/batches/{id}/abort', { id });
  printChange(batch, [`Batch ${id} is ${ownStateOf(batch)}.`], options);
}

async function abort(id: string, options: CallerOptions & JsonOption): Promise<void> {
  await inStore(async (store, config) => {
    const abort = await abortForOperator(store, systemClock, id);
    if (abort.kind === 'ended')
      throw new StartError(`Batch ${id} has already ended: ${stateOf(abort.code)}.`);
    const what = { aborted: 'is aborted', takingBack: 'was already complete, and stays so' }[abort.kind];
    const sentence = `Batch ${id} ${what}. Messages not yet handed to a carrier are being taken back: see carillon batch ${id}`;
    printChange({ id: parseBatchId(id), outcome: abort.kind }, [sentence], options);
    await tellServer(config, { event: 'operator_command', object: `batch abort ${id}` });
  });
}
