/** The management API endpoints that export the record of a run (JOB-14): for programs, for spreadsheets, and to print. */

import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { byUser, noteAct } from '../../audit/audit-log.ts';
import { timeZone } from '../../batches/hours/zone-parameter.ts';
import { ServiceError } from '../../foundation/errors.ts';
import { errorContent } from '../../http/answers/error-response.ts';
import { csvInSlices, objectInSlices, pageInSlices } from '../../http/answers/sliced-answer.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { languageParameter } from '../../http/parameters/language.ts';
import { statusNameSchema } from '../../messages/status-name-schema.ts';
import { theCaller } from '../../storage/verb.ts';
import type { CsvRow } from '../../wire/csv.ts';
import { headIn } from '../../wire/csv-columns.ts';
import type { JobSending } from '../job-mail.ts';
import { type MailState, mailStates } from '../mails-store.ts';
import { factsOf, type RunRecord, readRecord, recordedEntry, recordedPeople } from '../record.ts';
import { recordAsPage, recordColumns, recordPagePolicy, recordRow } from '../record-page.ts';
import { errorsOfRun as errors, runId as id, visibleRun } from './visible-run.ts';

const endpoint = endpointsFor<Caller>();
const declared = { methods: ['GET'] as const, group: 'Saved jobs', credentials: anyMethod, errors };
const zone = timeZone(
  'Time zone of the times on the page: `Europe/Stockholm`; default: that of the company, or else UTC.',
  'zone',
);
const example = { url: { id: '1001' } };
const path = '/api/v1/runs/{id}/record';

export function recordEndpoints({ store, clock }: JobSending) {
  const exported = async (caller: Caller, runId: number, form: string): Promise<RunRecord> => {
    const { run } = await visibleRun(store, caller, runId);
    const { companyId } = run;
    const by = byUser(caller);
    const act = { companyId, at: clock.now(), by, act: 'run.export', details: form } as const;
    await store.write(noteAct, { ...act, object: String(runId) });
    const record = await store.read(readRecord, { runId, owner: theCaller(caller) });
    if (record !== null) return record;
    throw new ServiceError('not_found', { sentence: 'none_such', noun: 'run', id: runId });
  };
  return [
    endpoint({
      ...declared,
      path,
      operation: 'getRunRecord',
      title: 'Export the record of a run',
      description:
        'Returns who was asked when and why, when each message was delivered, who answered what, and every decision. The audit log records it.',
      example,
      parameters: { id },
      answer: Type.Object(recordFields, { title: 'RunRecord' }),
      async handle(caller, input, { language }) {
        const record = await exported(caller, input.id, 'JSON');
        return objectInSlices(factsOf(record), {
          people: recordedPeople(record),
          timeline: record.entries.map((entry) => recordedEntry(entry, record.people, language)),
        });
      },
    }),
    endpoint({
      ...declared,
      path: `${path}.csv` as const,
      operation: 'exportRunRecord',
      title: 'Export the record of a run as CSV',
      description: 'Returns every decision of a run as CSV. The audit log records it.',
      example,
      parameters: { id, language: languageParameter },
      answer: Type.String({
        description: `A header line (${recordColumns.join(', ')}), then a line for each decision.`,
      }),
      answersCsv: true,
      async handle(caller, input, { language }) {
        const { entries, people } = await exported(caller, input.id, 'CSV');
        async function* rows(): AsyncGenerator<readonly CsvRow[]> {
          yield entries.map((entry) => recordRow(entry, people, input.language ?? language));
        }
        return csvInSlices(`run ${input.id}.csv`, headIn(input.language ?? language, recordColumns), rows());
      },
    }),
    endpoint({
      ...declared,
      path: `${path}.html` as const,
      operation: 'exportRunRecordPage',
      title: 'Print the record of a run',
      description: 'Returns the record as a page to read and print. The audit log records it.',
      example,
      parameters: { id, language: languageParameter, zone },
      answer: Type.String({ description: 'The page, which loads nothing else.' }),
      answersPage: true,
      async handle(caller, input, call) {
        const record = await exported(caller, input.id, 'HTML');
        const { language = call.language, zone = caller.timeZone ?? 'UTC' } = input;
        return pageInSlices(recordPagePolicy(), recordAsPage(record, { language, zone }));
      },
    }),
  ] as const;
}

const mailState = Type.Unsafe<MailState>({ type: 'string', enum: [...mailStates] });
const words = Type.Array(Type.String());

const messageFields = {
  id: Type.String(),
  isQuestion: Type.Boolean(),
  text: Type.String(),
  at: Type.String(),
};

/** The form is that of `carillon jobs record --json`. */
const recordFields = {
  run: Type.String(),
  job: Type.String(),
  savedJob: Type.Integer(),
  type: Type.String(),
  startedBy: Type.String(),
  startAt: Type.String(),
  expiresAt: Type.Optional(Type.String()),
  phase: Type.String(),
  outcome: Type.Optional(Type.String()),
  message: Type.String(),
  tasks: Type.Array(
    Type.Object({
      task: Type.String(),
      goal: Type.Optional(Type.Integer()),
      found: Type.Integer(),
      levelsOpen: Type.Integer(),
      levels: words,
    }),
  ),
  people: Type.Array(
    Type.Object({
      name: Type.String(),
      contactId: Type.String(),
      phone: Type.String(),
      email: Type.String(),
      state: Type.String(),
      task: Type.Optional(Type.String()),
      reserve: Type.Optional(Type.Integer()),
      asked: Type.Array(
        Type.Object({ at: Type.String(), why: Type.String(), whyValues: errorContent.values }),
      ),
      messages: Type.Array(Type.Object({ ...messageFields, from: Type.String(), status: statusNameSchema })),
      mails: Type.Array(
        Type.Object({
          ...messageFields,
          state: mailState,
          reason: Type.Optional(Type.String()),
          reasonValues: errorContent.values,
        }),
      ),
      answers: Type.Array(Type.Object({ at: Type.String(), text: Type.String(), meaning: Type.String() })),
    }),
  ),
  timeline: Type.Array(
    Type.Object({
      at: Type.String(),
      what: Type.String(),
      by: Type.String(),
      people: words,
      detail: Type.String(),
    }),
  ),
};
