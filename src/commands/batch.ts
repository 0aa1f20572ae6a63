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
import type { Store } from '../storage/store.ts';
import { instant, iso, type JsonOption, jsonOption, limitOption, printChange, printList } from './list.ts';
import { tellServer } from './tell-server.ts';

const shownAtOnce = 20;
const maxShown = 1_000;

export function batchCommand(): Command {
  const batch = new Command('batch').enablePositionalOptions();
  batch
    .argument('[id]', 'the id that sending answered with')
    .option('--watch', 'go on showing it until none of its messages waits')
    .option(...jsonOption)
    .action(show);
  batch
    .command('list')
    .description('list the latest batches, newest first')
    .addOption(limitOption(shownAtOnce, maxShown))
    .option(...jsonOption)
    .action(list);
  batch
    .command('abort <id>')
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

interface ShowOptions {
  readonly watch?: boolean;
  readonly json?: boolean;
}

async function show(id: string | undefined, options: ShowOptions): Promise<void> {
  if (id === undefined) throw new StartError('Give the id of a batch: carillon batch ID');
  const batchId = parseBatchId(id);
  const read = async (store: Store): Promise<Shown> => {
    const batch = batchId === undefined ? null : await store.read(inspectBatch, batchId);
    if (batch === null) throw new StartError(`There is no batch ${id}.`);
    return { ...batch, waitsUntil: waitsUntil(batch, systemClock.now()) };
  };
  await withStore(readConfig(process.env), async (store) => {
    if (options.watch) await watch(() => read(store), options);
    else printBatch(await read(store), options);
  });
}

function printBatch(batch: Shown, options: ShowOptions): void {
  if (options.json) printJson(toJson(batch), 2);
  else print(...linesOf(batch));
}

const watchEveryMs = 500;

/** On a terminal the picture changes in its place; elsewhere each change is printed again. */
async function watch(read: () => Promise<Shown>, options: ShowOptions): Promise<void> {
  let last: readonly string[] = [];
  for (;;) {
    const batch = await read();
    const picture = options.json ? [JSON.stringify(toJson(batch))] : linesOf(batch);
    if (!isDeepStrictEqual(picture, last)) {
      reprint(options.json ? 0 : last.length, picture);
      last = picture;
    }
    if (isAtRest(batch)) return;
    await delay(watchEveryMs);
  }
}

const queued = statusNames.indexOf('QUEUED');

/** Nothing more happens to it but by news from carriers. */
function isAtRest({ code, clearing, counts }: Shown): boolean {
  return !isUnderWay(code) && clearing === 0 && counts.every(({ status }) => status !== queued);
}

function linesOf(batch: Shown): readonly string[] {
  const { messages, expanded, parts, duplicates, code, clearing, waitsUntil } = batch;
  const lines: readonly (readonly [string, string])[] = [
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
    ['parts', `${parts}${duplicates > 0 ? `, ${duplicates} duplicates left out` : ''}`],
    ...batch.counts.map(({ status, messages: count }, index) => {
      return [index === 0 ? 'now' : '', `${statusNames[status]?.padEnd(20)}${count}`] as const;
    }),
  ];
  return lines.map(([name, value]) => `${name.padEnd(10)}${value}`.trimEnd());
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

interface ListOptions extends JsonOption {
  readonly limit: number;
}

async function list(options: ListOptions): Promise<void> {
  await withStore(readConfig(process.env), async (store) => {
    const batches = await store.read(listBatches, options.limit);
    printList(
      batches,
      {
        none: 'There are no batches.',
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

async function abort(id: string, options: JsonOption): Promise<void> {
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
