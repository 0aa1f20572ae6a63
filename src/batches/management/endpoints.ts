/** The management API's endpoints that show batches, act on them, and let people send them. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { visibilityOf } from '../../accounts/visibility.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { ErrorCode } from '../../foundation/errors.ts';
import type { Language } from '../../foundation/language.ts';
import { statusesInSwedish } from '../../foundation/sentences/words.ts';
import { csvInSlices } from '../../http/answers/sliced-answer.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { boolean, text } from '../../http/parameters/kinds.ts';
import { languageParameter } from '../../http/parameters/language.ts';
import { nextOf, pageOf, pageParameters } from '../../http/parameters/page.ts';
import { simulatedSchema } from '../../messages/management/shown-message.ts';
import { type StatusName, statusNames } from '../../messages/message.ts';
import { statusNameSchema } from '../../messages/status-name-schema.ts';
import type { Store } from '../../storage/store.ts';
import type { CsvRow } from '../../wire/csv.ts';
import { flagIn, headIn, wordIn } from '../../wire/csv-columns.ts';
import type { Intake } from '../intake/intake.ts';
import type { Batching } from '../intake/submit.ts';
import { abort, pause, resume } from './acting-on-batch.ts';
import { type FailedRow, failedInPages, noteFailedLook, readFailedPage } from './failed.ts';
import { resendFailed } from './resend-failed.ts';
import { sendingEndpoints } from './sending-endpoints.ts';
import { batchSchema, failuresOf, Pace, shownBatch, shownBatchFields, totalsOf } from './shown-batch.ts';
import { findBatch, listResentAs, listVisibleBatches, type VisibleBatch } from './visible-batch.ts';

const endpoint = endpointsFor<Caller>();
const group = 'Batches';

const parameters = {
  id: text({ get: 'id', required: true, maxLength: 20, description: 'Id of the batch.' }),
};
/** The first batch of a store. */
const example = { url: { id: '100001' } };
/** The batch that the sending example creates, one message of which fails. */
const failedExample = { url: { id: '100003' } };

export function batchManagementEndpoints(batching: Batching, intake: Intake) {
  return [
    ...listingEndpoints(batching),
    ...sendingEndpoints(batching, intake),
    ...actingEndpoints(batching),
    ...failedEndpoints(batching),
    resending(batching),
  ] as const;
}

function listingEndpoints({ store, clock }: Batching) {
  const pace = new Pace();
  return [
    endpoint({
      path: '/api/v1/batches',
      methods: ['GET'],
      group,
      operation: 'listBatches',
      title: 'List batches',
      description:
        'Lists batches with their progress, latest first. Users see their own batches, administrators all batches of the company.',
      example: { url: { limit: '10' } },
      credentials: anyMethod,
      parameters: {
        paused: boolean({ get: 'paused', default: false, description: 'Only paused batches.' }),
        ...pageParameters,
      },
      answer: Type.Object({ batches: Type.Array(batchSchema), next: nextOf('batches') }),
      errors: ['role_missing'],
      async handle(caller, { paused, after, limit }, call) {
        const query = { ...visibilityOf(caller), paused, before: after?.id ?? null, callerId: caller.userId };
        const signal = call.closed;
        const rows = await store.read(listVisibleBatches, { ...query, limit: limit + 1 }, { signal });
        const { items, next } = pageOf(rows, limit, ({ id }) => String(id));
        const now = clock.now();
        return { batches: items.map((batch) => shownBatch(batch, now)), next };
      },
    }),
    endpoint({
      path: '/api/v1/batches/{id}',
      methods: ['GET'],
      group,
      operation: 'getBatch',
      title: 'Read a batch’s progress',
      description:
        'Returns a batch, and how many of its messages are waiting, with a carrier, delivered or failed. A second call some seconds later adds the speed and the remaining time.',
      example,
      credentials: anyMethod,
      parameters,
      answer: Type.Object({
        ...shownBatchFields,
        failures: Type.Array(Type.Object({ status: statusNameSchema, messages: Type.Integer() }), {
          description: 'The failed messages by status.',
        }),
        resentFrom: Type.Optional(
          Type.String({ description: 'Id of the batch whose failed messages these are.' }),
        ),
        resentAs: Type.Array(Type.String(), {
          description: 'Ids of the latest batches with its failed messages.',
        }),
        speed: Type.Optional(
          Type.Integer({
            description: 'Messages handed to carriers per minute, measured since the previous call.',
          }),
        ),
        secondsLeft: Type.Optional(
          Type.Integer({ description: 'Seconds until carriers have every message at that speed.' }),
        ),
      }),
      errors: ['not_found', 'role_missing'],
      async handle(caller, { id }) {
        const batch = await findBatch(store, caller, id);
        const shown = shownBatch(batch, clock.now());
        const { waiting } = totalsOf(batch);
        const speed = shown.state === 'sending' ? pace.sample(batch.id, waiting) : undefined;
        const secondsLeft = speed === undefined || speed <= 0 ? undefined : Math.ceil(waiting / speed);
        const { resentFrom } = batch;
        const resentAs = await store.read(listResentAs, { ...visibilityOf(caller), id: batch.id });
        return {
          ...shown,
          failures: failuresOf(batch),
          resentFrom: resentFrom === null ? undefined : String(resentFrom),
          resentAs: resentAs.map(String),
          speed: speed && Math.round(60 * speed),
          secondsLeft,
        };
      },
    }),
  ] as const;
}

interface BatchAct<Name extends string> {
  readonly name: Name;
  readonly operation: string;
  readonly title: string;
  readonly description: string;
  readonly errors?: readonly ErrorCode[];
  readonly act: (store: Store, clock: Clock, caller: Caller, id: string) => Promise<unknown>;
}

function actingEndpoints({ store, clock }: Batching) {
  const acting = <const Name extends string>({ name, act, errors = [], ...described }: BatchAct<Name>) =>
    endpoint({
      path: `/api/v1/batches/{id}/${name}` as const,
      methods: ['POST'] as const,
      group,
      ...described,
      example: { ...example, json: {} },
      credentials: anyMethod,
      parameters,
      answer: batchSchema,
      errors: ['not_found', 'role_missing', ...errors],
      async handle(caller, { id }) {
        await act(store, clock, caller, id);
        return shownBatch(await findBatch(store, caller, id), clock.now());
      },
    });
  return [
    acting({
      name: 'pause',
      operation: 'pauseBatch',
      title: 'Pause a batch',
      description:
        'Stops handing the batch to carriers until it is resumed; other nodes follow within a second. Messages already with a carrier are delivered. The validity of waiting messages is suspended. A batch with nothing waiting stays as it is. Users can pause their own batches, administrators any batch of the company.',
      errors: ['too_many_paused'],
      act: pause,
    }),
    acting({
      name: 'resume',
      operation: 'resumeBatch',
      title: 'Resume a batch',
      description:
        'Continues a paused batch. Its waiting messages go to the end of the queue, and their validity starts again. A batch that is not paused stays as it is.',
      act: resume,
    }),
    acting({
      name: 'abort',
      operation: 'abortBatch',
      title: 'Abort a batch',
      description:
        'Messages not yet handed to a carrier are never sent, and their quota is returned. Messages already with a carrier are delivered. A finished batch stays as it is.',
      act: abort,
    }),
  ] as const;
}

const failedFields = {
  id: Type.String({ description: 'Id of the SMS.' }),
  to: Type.String(),
  status: statusNameSchema,
  changed: Type.String({ description: 'When it failed (ISO 8601, UTC).' }),
  message: Type.String({ description: 'Text of the SMS.' }),
  conversation: Type.String(),
  parts: Type.Integer(),
  why: Type.String({ description: 'Why it failed, in a sentence.' }),
  todo: Type.Optional(Type.String({ description: 'What can be done.' })),
  mayHaveArrived: Type.Boolean({
    description: 'Whether it may have arrived after all; if so, it is not sent again.',
  }),
  simulated: simulatedSchema,
};

function failedEndpoints(batching: Batching) {
  const { store } = batching;
  return [
    endpoint({
      path: '/api/v1/batches/{id}/failed',
      methods: ['GET'],
      group,
      operation: 'listFailedOfBatch',
      title: 'List a batch’s failures',
      description:
        'Lists the SMS of a batch that failed for good, in the batch’s order, each with the reason. A page may be short or empty: as long as there is a `next`, there may be more. When an administrator views another user’s failures, the audit log records it.',
      example: failedExample,
      credentials: anyMethod,
      parameters: { ...parameters, language: languageParameter, ...pageParameters },
      answer: Type.Object({
        failed: Type.Array(Type.Object(failedFields, { title: 'FailedSms' })),
        next: nextOf('failed SMS'),
      }),
      errors: ['not_found', 'role_missing'],
      async handle(caller, { id, language, after, limit }, call) {
        const batch = await findBatch(store, caller, id);
        await noteFailedLook(batching, caller, batch, { isExport: false });
        const asked = { after: after?.id ?? 0, limit, language: language ?? call.language };
        const { rows, next } = await readFailedPage(store, caller, batch, asked);
        return { failed: rows.map(shownFailed), next: next === undefined ? undefined : String(next) };
      },
    }),
    endpoint({
      path: '/api/v1/batches/{id}/failed/csv',
      methods: ['GET'],
      group,
      operation: 'exportFailedOfBatch',
      title: 'Export a batch’s failures',
      description:
        'Returns the failures as a CSV file: number, status, reason, text, conversation, id, time and whether the SMS was simulated. The audit log records the export.',
      example: failedExample,
      credentials: anyMethod,
      parameters: { ...parameters, language: languageParameter },
      answer: Type.String({ description: 'A header line, then a line for each failed SMS.' }),
      answersCsv: true,
      errors: ['not_found', 'role_missing'],
      async handle(caller, { id, language: asked }, call) {
        const language = asked ?? call.language;
        const batch = await findBatch(store, caller, id);
        await noteFailedLook(batching, caller, batch, { isExport: true });
        const lines = failedLines(store, caller, batch, language);
        return csvInSlices(`batch-${id}-failed.csv`, headIn(language, failedColumns), lines);
      },
    }),
  ] as const;
}

const resentBatch = Type.Object({
  batchId: Type.String({ description: 'Id of the new batch.' }),
  batchConversation: Type.String(),
  batchStatusCode: Type.Integer({ description: '1: received.' }),
  batchStatusDescription: Type.String(),
});

function resending(batching: Batching) {
  return endpoint({
    path: '/api/v1/batches/{id}/resend-failed',
    methods: ['POST'],
    group,
    operation: 'resendFailedOfBatch',
    title: 'Send a batch’s failures again',
    description:
      'Creates a new batch, paid for by the caller, from the SMS that failed for good, each with its own text. It leaves out SMS that were delivered, may have arrived without a receipt, were already sent again, or have no route any more. While the batch is still in progress, failures of the last two seconds are left for the next call.',
    example: { ...failedExample, json: {} },
    credentials: anyMethod,
    parameters,
    answer: resentBatch,
    errors: [
      ...([
        'not_found',
        'no_recipients',
        'sender_not_allowed',
        'sender_not_yours',
        'idempotency_mismatch',
      ] as const),
      ...(['already_resent', 'role_missing'] as const),
    ],
    isIdempotent: true,
    async handle(caller, { id }, call) {
      const made = await resendFailed(batching, caller, id, call.idempotencyKey);
      return {
        batchId: made.batchid,
        batchConversation: made.batchconversation,
        batchStatusCode: made.batchstatuscode,
        batchStatusDescription: made.batchstatusdescription,
      };
    },
  });
}

const failedColumns = ['number', 'status', 'why', 'message', 'conversation', 'id', 'time', 'simulated'];

async function* failedLines(
  store: Store,
  caller: Caller,
  batch: VisibleBatch,
  language: Language,
): AsyncGenerator<readonly CsvRow[]> {
  for await (const page of failedInPages(store, caller, batch, language))
    yield page.map((row) => {
      const { to, status, why, message, conversation, id, changed, simulated } = shownFailed(row);
      const became = wordIn(language, statusesInSwedish, status);
      const isSimulated = simulated ? flagIn(language, true) : '';
      return [to, became, why, message, conversation, id, changed, isSimulated];
    });
}

function shownFailed(row: FailedRow) {
  const { id, recipient: to, text: message, conversation, parts, why, todo } = row;
  const changed = new Date(row.changedAt).toISOString();
  return {
    id: String(id),
    to,
    status: statusNames[row.status] as StatusName,
    changed,
    message,
    conversation,
    parts,
    why,
    todo,
    mayHaveArrived: row.mayHaveArrived === 1,
    simulated: row.simulated === 1 || undefined,
  };
}
