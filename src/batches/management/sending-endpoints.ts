/** The endpoints for a dry run of a batch and for sending it: as JSON, with a name and a start time. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { catalogue, type ErrorCode } from '../../foundation/errors.ts';
import { errorContent } from '../../http/answers/error-response.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { endpointsFor } from '../../http/endpoints/endpoint.ts';
import { boolean, text } from '../../http/parameters/kinds.ts';
import { sendParameters } from '../../messages/sending/parameters.ts';
import { theCaller } from '../../storage/verb.ts';
import { maxNameLength } from '../batch.ts';
import {
  batchParameter,
  intakeErrors,
  intakeParameters,
  noLimitOfItsOwn,
  submittedBatch,
} from '../intake/endpoints.ts';
import { maxFaultyPlaces } from '../intake/faulty.ts';
import type { Intake } from '../intake/intake.ts';
import { fewCharacters } from '../intake/preview.ts';
import { type Batching, submitBatch } from '../intake/submit.ts';
import { preview } from './preview.ts';

const endpoint = endpointsFor<Caller>();
const group = 'Batches';

const parameters = {
  ...intakeParameters,
  name: text({ maxLength: maxNameLength, description: 'Name of the batch, for people.' }),
  scheduletime: sendParameters.scheduletime,
  skipFaulty: boolean({
    default: false,
    description: 'Leaves out recipients with faults, and sends to the others.',
  }),
  batch: batchParameter,
} as const;

const jsonFields = ['username', 'password', 'apikey', ...Object.keys(parameters)];

const batch = [
  { t: '46701740699', s: ['Anna'] },
  { t: '46701740698', m: 'Bo, please call us.' },
  // The simulator reports a failure for this recipient, so that the calls about failed messages have an example.
  { t: '46701740606', s: ['Cleo'] },
];
const example = { json: { name: 'Autumn', message: 'Dear NAME, welcome.', holders: ['NAME'], batch } };

const count = (description: string) => Type.Integer({ description });
const saving = {
  messages: count('Messages that would need fewer parts.'),
  parts: count('Parts that would be saved in all.'),
};

const batchFault = Type.Object(
  {
    field: Type.String({ description: 'Such as `batch[3].t`, counted from 0.' }),
    code: Type.Unsafe<ErrorCode>({ type: 'string', enum: Object.keys(catalogue) }),
    error: errorContent.error,
    values: errorContent.values,
  },
  { title: 'BatchFault' },
);

/** Absent unless the call has `skipFaulty`. */
const sent = Type.Object({
  ...submittedBatch.properties,
  skipped: Type.Optional(count('With `skipFaulty`: recipients left out.')),
  faults: Type.Optional(Type.Array(batchFault, { description: 'The first of their faults.' })),
});

const previewed = Type.Object(
  {
    recipients: count('Number of recipients given in the call.'),
    messages: count('Messages that would be sent.'),
    parts: count('Cost of these messages in SMS parts.'),
    duplicates: count('Recipients left out because the same text already goes to the same number.'),
    optedOut: count('Those of them whose recipients have opted out: they are REJECTED, and free of charge.'),
    unicode: count(
      'Messages with a character outside the GSM 03.38 alphabet, whose parts hold 70 characters instead of 160.',
    ),
    histogram: Type.Array(Type.Object({ parts: Type.Integer(), messages: Type.Integer() }), {
      description: 'Number of messages by their number of parts.',
    }),
    faults: Type.Array(batchFault, {
      description: 'Why the batch would be refused, or would fail, as a whole; the first 100.',
    }),
    faultCount: count('Number of all faults.'),
    faulty: count('Recipients with faults, which `skipFaulty` leaves out.'),
    faultyPlaces: Type.Array(Type.Integer(), {
      description: `Places of the first ${maxFaultyPlaces} of these in \`batch\`, counted from 0.`,
    }),
    savings: Type.Object({
      characters: Type.Array(
        Type.Object({
          character: Type.String(),
          similar: Type.String({ description: 'A similar character; empty if there is none.' }),
          ...saving,
        }),
        {
          description: 'Characters whose removal would save parts, greatest saving first.',
        },
      ),
      replacing: Type.Object(saving, {
        description: 'Savings with `replacecharacters`, if enabled for the account.',
      }),
      shortening: Type.Object(saving, {
        description: `Savings if every text that is at most ${fewCharacters} characters into its last part were shortened by that much.`,
      }),
    }),
    samples: Type.Array(Type.Object({ to: Type.String(), message: Type.String(), parts: Type.Integer() }), {
      description: 'The first messages as they would be sent.',
    }),
    maxRecipients: count('Maximum number of recipients in a batch of the account.'),
    quotaLeft: Type.Optional(count('SMS parts left in the quota; absent: there is no quota.')),
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
        'Accepts what `/batchsend/json` accepts, plus a name, a start time and `skipFaulty`. The answer comes when the whole batch has been checked and stored durably.',
      example,
      credentials: anyMethod,
      parameters,
      answer: sent,
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
      title: 'Preview a batch',
      description:
        'Accepts what `POST /api/v1/batches` accepts, but sends nothing: it reports everything that is wrong, the cost, and the characters that raise it.',
      example,
      credentials: anyMethod,
      parameters,
      answer: previewed,
      errors: ['missing_parameter', 'no_recipients', 'role_missing'],
      maxBodyBytes: noLimitOfItsOwn,
      openBody: (body, caller, closed) => intake.openJson(body, jsonFields, theCaller(caller), closed),
      async handle(caller, input) {
        const { samples, faultCount, maxRecipients, quotaLeft, ...dryRun } = await preview(
          batching,
          caller,
          { ...input, refusesUnknown: true },
          input.batch,
        );
        return {
          ...dryRun,
          samples: samples.map(({ text, ...sample }) => ({ ...sample, message: text })),
          faultCount,
          maxRecipients,
          quotaLeft: quotaLeft ?? undefined,
        };
      },
    }),
  ] as const;
}
