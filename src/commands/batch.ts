/** `carillon batch`: how far a batch is, which there are, and stopping one. */

import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Command } from 'commander';
import { withStore } from '../app/open-store.ts';
import { type BatchCode, describeBatchCode, isUnderWay, parseBatchId } from '../batches/batch.ts';
import { abortForOperator } from '../batches/management/acting-on-batch.ts';
import { type InspectedBatch, inspectBatch, listBatches } from '../batches/reading/info.ts';
import { waitsUntil } from '../batches/reading/waiting.ts';
import { readConfig } from '../config/config.ts';
import { systemClock } from '../foundation/clock.ts';
import { StartError } from '../foundation/errors.ts';
import { readReason, shownReason } from '../foundation/sentences.ts';
import { print, printJson, reprint } from '../foundation/terminal.ts';
import { statusNames } from '../messages/message.ts';
import { type AnswerOf, lookElsewhereEveryMs } from './api.ts';
import { type CallerOptions, callerApi, refuseOptionsBefore, withEither } from './as-caller.ts';
import {
  factLines,
  instant,
  instantOf,
  iso,
  type JsonOption,
  jsonOption,
  limitOption,
  printChange,
  printList,
} from './list.ts';
import { tellServer } from './tell-server.ts';

const shownAtOnce = 20;
const maxShown = 1_000;

export function batchCommand(): Command {
  const batch = refuseOptionsBefore(withEither(new Command('batch')).enablePositionalOptions());
  batch
    .argument('[id]', 'the id that sending answered with')
    .option('--watch', 'go on showing it until none of its messages waits')
    .option(...jsonOption)
    .action(show);
  withEither(batch.command('list'))
    .description('list the latest batches, newest first')
    .addOption(limitOption(shownAtOnce, maxShown))
    .option(...jsonOption)
    .action(list);
  withEither(batch.command('abort <id>'))
    .description('stop a batch: messages that no carrier has yet are not sent, and their quota comes back')
    .option(...jsonOption)
    .action(abort);
  return batch;
}

type Shown = InspectedBatch & {
  readonly counts: readonly { readonly status: number; readonly messages: number }[];
  /** It waits for the hours of its company, which begin then. */
  readonly waitsUntil: number | undefined;
};

interface ShowOptions extends CallerOptions, JsonOption {
  readonly watch?: boolean;
}

async function show(id: string | undefined, options: ShowOptions): Promise<void> {
  if (id === undefined) throw new StartError('Give the id of a batch: carillon batch ID');
  const api = await callerApi(options);
  if (api !== undefined)
    return present(async () => pictureOfOwn(await api.get('/api/v1/batches/{id}', { id })), {
      ...options,
      everyMs: lookElsewhereEveryMs,
    });
  const batchId = parseBatchId(id);
  await withStore(readConfig(process.env), (store) =>
    present(
      async () => {
        const batch = batchId === undefined ? null : await store.read(inspectBatch, batchId);
        if (batch === null) throw new StartError(`There is no batch ${id}.`);
        return pictureOf({ ...batch, waitsUntil: waitsUntil(batch, systemClock.now()) });
      },
      { ...options, everyMs: watchEveryMs },
    ),
  );
}

/** A batch as it is at a moment. */
interface Picture {
  readonly lines: readonly string[];
  readonly json: object;
  readonly isAtRest: boolean;
}

const watchEveryMs = 500;

interface Presenting extends Pick<ShowOptions, 'watch' | 'json'> {
  readonly everyMs: number;
}

/** Once, or again with each change: on a terminal in its place. */
async function present(look: () => Promise<Picture>, { watch, json, everyMs }: Presenting): Promise<void> {
  let last: readonly string[] = [];
  let seen: unknown;
  for (;;) {
    const picture = await look();
    if (!watch) return json ? printJson(picture.json, 2) : print(...picture.lines);
    const shown = json ? [JSON.stringify(picture.json)] : picture.lines;
    // How fast it goes changes with every look.
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

function pictureOf(batch: Shown): Picture {
  return { lines: linesOf(batch), json: toJson(batch), isAtRest: isAtRest(batch) };
}

type OwnBatch = AnswerOf<'GET', '/api/v1/batches'>['batches'][number];

/** As the API tells it to its user. */
function pictureOfOwn(batch: OwnBatch): Picture {
  const { messages, parts, duplicates, totals, state } = batch;
  const sent = sentOf(batch);
  const lines = factLines([
    ['batch', batch.id],
    ['of', batch.username],
    ...(batch.batchConversation === '' ? [] : [['called', batch.batchConversation] as const]),
    ['accepted', instantOf(batch.accepted)],
    ['state', `${ownStateOf(batch)} since ${instantOf(batch.changed)}`],
    ...(batch.reason === undefined ? [] : [['reason', batch.reason] as const]),
    ...(batch.heldTill === undefined
      ? []
      : [['waits', `until ${instantOf(batch.heldTill)}: its company sends from then on`] as const]),
    ['sent', `${bar(sent, messages)} ${sent} of ${messages} messages`],
    ['parts', partsOf(parts, duplicates)],
    ...Object.entries(totals).map(
      ([name, count], index) => [index === 0 ? 'now' : '', `${name.padEnd(20)}${count}`] as const,
    ),
  ]);
  const isUnderWay = ['preparing', 'scheduled', 'held', 'sending', 'paused'].includes(state);
  return { lines, json: batch, isAtRest: !isUnderWay && totals.waiting === 0 };
}

/** What carriers have, or had. */
function sentOf({ totals: { sent, delivered, failed } }: OwnBatch): number {
  return sent + delivered + failed;
}

function ownStateOf({ batchStatusCode, batchStatusDescription, state }: OwnBatch): string {
  return `${batchStatusCode} ${batchStatusDescription} (${state})`;
}

const queued = statusNames.indexOf('QUEUED');

/** Nothing more happens to it but by news from carriers. */
function isAtRest({ code, clearing, counts }: Shown): boolean {
  return !isUnderWay(code) && clearing === 0 && counts.every(({ status }) => status !== queued);
}

function linesOf(batch: Shown): readonly string[] {
  const { messages, expanded, parts, duplicates, code, clearing, waitsUntil } = batch;
  return factLines([
    ['batch', String(batch.id)],
    ['of', `${batch.username} (${batch.company})`],
    ...(batch.conversation === '' ? [] : [['called', batch.conversation] as const]),
    ['accepted', instant(batch.createdAt)],
    ['state', `${stateOf(code)} since ${instant(batch.changedAt)}`],
    ...(batch.reason === null ? [] : [['reason', readReason(batch.reason).text] as const]),
    ...(waitsUntil === undefined
      ? []
      : [['waits', `until ${instant(waitsUntil)}: its company sends from then on`] as const]),
    ...(clearing === 1 ? [['now', 'what no carrier has yet is being taken back'] as const] : []),
    ['made', `${bar(expanded, messages)} ${expanded} of ${messages} messages`],
    ['parts', partsOf(parts, duplicates)],
    ...batch.counts.map(({ status, messages: count }, index) => {
      return [index === 0 ? 'now' : '', `${statusNames[status]?.padEnd(20)}${count}`] as const;
    }),
  ]);
}

function partsOf(parts: number, duplicates: number): string {
  return `${parts}${duplicates > 0 ? `, ${duplicates} duplicates left out` : ''}`;
}

function stateOf(code: BatchCode): string {
  return `${code} ${describeBatchCode(code)}`;
}

const barWidth = 30;

/** Full only when all is done. */
function bar(done: number, all: number): string {
  const filled = all === 0 ? 0 : Math.floor((done / all) * barWidth);
  const percent = all === 0 ? 0 : Math.floor((done / all) * 100);
  return `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}] ${String(percent).padStart(3)} %`;
}

function toJson({ counts, clearing, notBefore, firstMessageId, sendHours, ...batch }: Shown) {
  return {
    ...batch,
    ...shownReason(batch.reason),
    description: describeBatchCode(batch.code),
    firstMessageId,
    takingBack: clearing === 1,
    statuses: Object.fromEntries(counts.map(({ status, messages }) => [statusNames[status], messages])),
  };
}

interface ListOptions extends CallerOptions, JsonOption {
  readonly limit: number;
}

const none = 'There are no batches.';

const ownShape = {
  none,
  columns: {
    BATCH: ({ id }: OwnBatch) => id,
    OF: ({ username }: OwnBatch) => username,
    ACCEPTED: ({ accepted }: OwnBatch) => instantOf(accepted),
    STATE: ownStateOf,
    SENT: (batch: OwnBatch) => String(sentOf(batch)),
    MESSAGES: ({ messages }: OwnBatch) => String(messages),
    CONVERSATION: ({ batchConversation }: OwnBatch) => batchConversation,
  },
  toJson: (batch: OwnBatch) => batch,
};

async function list(options: ListOptions): Promise<void> {
  const api = await callerApi(options);
  if (api !== undefined)
    return printList(await api.list('/api/v1/batches', 'batches', options.limit), ownShape, options);
  await withStore(readConfig(process.env), async (store) => {
    const batches = await store.read(listBatches, options.limit);
    printList(
      batches,
      {
        none,
        columns: {
          BATCH: ({ id }) => String(id),
          OF: ({ username }) => username,
          ACCEPTED: ({ createdAt }) => instant(createdAt),
          STATE: ({ code }) => stateOf(code),
          MADE: ({ expanded }) => String(expanded),
          MESSAGES: ({ messages }) => String(messages),
          CONVERSATION: ({ conversation }) => conversation,
        },
        toJson: ({ createdAt, ...batch }) => ({
          ...batch,
          ...shownReason(batch.reason),
          createdAt: iso(createdAt),
          description: describeBatchCode(batch.code),
        }),
      },
      options,
    );
  });
}

async function abort(id: string, options: CallerOptions & JsonOption): Promise<void> {
  const api = await callerApi(options);
  if (api !== undefined) {
    const batch = await api.post('/api/v1/batches/{id}/abort', { id });
    return printChange(batch, [`Batch ${id} is ${ownStateOf(batch)}.`], options);
  }
  const config = readConfig(process.env);
  await withStore(config, async (store) => {
    const abort = await abortForOperator(store, systemClock, id);
    if (abort.kind === 'ended')
      throw new StartError(`Batch ${id} has ended already: ${stateOf(abort.code)}.`);
    const what = { aborted: 'is aborted', takingBack: 'was done already, and stays so' }[abort.kind];
    const sentence = `Batch ${id} ${what}. Messages that no carrier has yet are being taken back: see carillon batch ${id}`;
    printChange({ id: parseBatchId(id), outcome: abort.kind }, [sentence], options);
    await tellServer(config, { event: 'operator_command', object: `batch abort ${id}` });
  });
}
