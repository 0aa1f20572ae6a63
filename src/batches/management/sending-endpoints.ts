/** The endpoints by which people try a batch out and send it: as JSON, with a name, and a time to begin at. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { catalogue, type ErrorCode } from '../../foundation/errors.ts';
import { told } from '../../http/answers/error-response.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { text } from '../../http/parameters/kinds.ts';
import { sendParameters } from '../../messages/sending/parameters.ts';
import { theCaller } from '../../storage/verb.ts';
import {
  batchParameter,
  intakeErrors,
  intakeParameters,
  noLimitOfItsOwn,
  submittedBatch,
} from '../intake/endpoints.ts';
import type { Intake } from '../intake/intake.ts';
import { fewCharacters } from '../intake/preview.ts';
import { type Batching, submitBatch } from '../intake/submit.ts';
import { preview } from './preview.ts';

const endpoint = endpointsFor<Caller>();
const group = 'Batches';

const parameters = {
  ...intakeParameters,
  name: text({ maxLength: 100, description: 'What people call the batch.' }),
  scheduletime: sendParameters.scheduletime,
  batch: batchParameter,
} as const;

const jsonFields = ['username', 'password', 'apikey', ...Object.keys(parameters)];

const batch = [
  { t: '46701740699', s: ['Anna'] },
  { t: '46701740698', m: 'Bo, please call us.' },
  // The simulator fails it, so that the calls about what failed of a batch have an example.
  { t: '46701740606', s: ['Cleo'] },
];
const example = { json: { name: 'Autumn', message: 'Dear NAME, welcome.', holders: ['NAME'], batch } };

const count = (description: string) => Type.Integer({ description });
const saving = { messages: count('So many messages'), parts: count('would have so many parts less.') };

const previewed = Type.Object(
  {
    recipients: count('As they were given.'),
    messages: count('That would be sent.'),
    parts: count('What they cost, in SMS parts.'),
    duplicates: count('Left out, since the same text goes to the same number already.'),
    unicode: count(
      'Messages with a character that the GSM 03.38 alphabet lacks: a part of them holds 70 characters in place of 160.',
    ),
    histogram: Type.Array(Type.Object({ parts: Type.Integer(), messages: Type.Integer() }), {
      description: 'How many messages have so many parts.',
    }),
    faults: Type.Array(
      Type.Object({
        field: Type.String({ description: 'As `batch[3].t`, counted from 0.' }),
        code: Type.Unsafe<ErrorCode>({ type: 'string', enum: Object.keys(catalogue) }),
        error: told.error,
        values: told.values,
      }),
      { description: 'For which it would be refused, or end, as a whole; the first 100.' },
    ),
    faultCount: count('All of them.'),
    savings: Type.Object({
      characters: Type.Array(
        Type.Object({
          character: Type.String(),
          similar: Type.String({ description: 'What looks similar; empty: the character would have to go.' }),
          ...saving,
        }),
        {
          description: 'Characters without which messages would have fewer parts; the greatest saving first.',
        },
      ),
      replacing: Type.Object(saving, {
        description: 'With `replacecharacters`, where the account is enabled for it.',
      }),
      shortening: Type.Object(saving, {
        description: `If each that is at most ${fewCharacters} characters into its last part were that much shorter.`,
      }),
    }),
    samples: Type.Array(Type.Object({ to: Type.String(), message: Type.String(), parts: Type.Integer() }), {
      description: 'The first messages, as they would be sent.',
    }),
    maxRecipients: count('The most that a batch of the account may have.'),
    quotaLeft: Type.Optional(count('SMS parts that are left of the quota; absent: there is none.')),
  },
  { title: 'BatchPreview' },
);

export function sendingEndpoints(batching: Batching, intake: Intake) {
  return [
    endpoint({
      path: '/api/v1/batches',
      methods: ['POST'],
      group,
      creates: 'batchid',
      operation: 'createBatch',
      title: 'Send a batch',
      description:
        'Takes what `/batchsend/json` takes, and a name and a time to begin at besides. The answer comes when the whole batch is found right and stored safely.',
      example,
      credentials: anyMethod,
      parameters,
      answer: submittedBatch,
      errors: [...intakeErrors, 'invalid_time'],
      isIdempotent: true,
      maxBodyBytes: noLimitOfItsOwn,
      openBody: (body, caller, closed) => intake.openJson(body, jsonFields, theCaller(caller), closed),
      handle: (caller, input, call) =>
        submitBatch(batching, caller, { ...input, refusesUnknown: true }, input.batch, call.idempotencyKey),
    }),
    endpoint({
      path: '/api/v1/batches/preview',
      methods: ['POST'],
      group,
      operation: 'previewBatch',
      title: 'Try a batch out',
      description:
        'Takes the same and sends nothing: tells all that is wrong, what it would cost, and which characters make it cost more.',
      example,
      credentials: anyMethod,
      parameters,
      answer: previewed,
      errors: ['missing_parameter', 'no_recipients', 'role_missing'],
      maxBodyBytes: noLimitOfItsOwn,
      openBody: (body, caller, closed) => intake.openJson(body, jsonFields, theCaller(caller), closed),
      async handle(caller, input) {
        const { samples, faultCount, maxRecipients, quotaLeft, ...foreseen } = await preview(
          batching,
          caller,
          { ...input, refusesUnknown: true },
          input.batch,
        );
        return {
          ...foreseen,
          samples: samples.map(({ text, ...sample }) => ({ ...sample, message: text })),
          faultCount,
          maxRecipients,
          quotaLeft: quotaLeft ?? undefined,
        };
      },
    }),
  ] as const;
}
