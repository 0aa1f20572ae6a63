/** The endpoints that take batches in: as JSON, and as a list of lines. */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import type { ErrorCode } from '../../foundation/errors.ts';
import { anyMethod, anyMethodBesideLines } from '../../http/credentials/credentials.ts';
import { type Endpoint, endpointsFor } from '../../http/endpoints/endpoint.ts';
import type { Faults } from '../../http/parameters/faults.ts';
import { text } from '../../http/parameters/kinds.ts';
import { textList } from '../../http/parameters/lists.ts';
import { declare, objectSchema } from '../../http/parameters/parameter.ts';
import { boundsOfMessage, sendParameters } from '../../messages/sending/parameters.ts';
import { theCaller } from '../../storage/verb.ts';
import { faultOfLabel, maxLabelLength, maxLabels } from '../../wire/sms/substitution.ts';
import { greatestMaxRecipients } from '../batch.ts';
import { type Intake, Upload } from './intake.ts';
import { maxConversationLength, recipientFields } from './recipient.ts';
import { type Batching, submitBatch } from './submit.ts';

const endpoint = endpointsFor<Caller>();
const messaging = '/restsms/svcrest';

/** Only the server's own limit applies. */
export const noLimitOfItsOwn = Number.POSITIVE_INFINITY;

export const intakeErrors: readonly ErrorCode[] = [
  'missing_parameter',
  'no_recipients',
  'invalid_number',
  'no_route',
  'country_not_allowed',
  'no_text',
  'invalid_sender',
  'sender_not_allowed',
  'sender_not_yours',
  'no_sender',
  'idempotency_mismatch',
  'role_missing',
];

const { from, costcenter, validminutes, defaultcountrycode, replacecharacters, category } = sendParameters;

const labels = textList({
  get: 'H',
  default: [],
  maxItems: maxLabels,
  description: `Labels in the common message, at most ${maxLabelLength} characters each. Each recipient’s first substitution replaces the first label, and so on; a label without a substitution is removed.`,
});

/** Each label has the maximum length that applies to labels everywhere. */
function ofShortLabels(list: typeof labels): typeof labels {
  const checked = (given: readonly string[] | undefined, faults: Faults, nameOf: (at: number) => string) => {
    for (const [at, label] of (given ?? []).entries()) {
      const fault = faultOfLabel(label);
      if (fault !== undefined) faults.addFault(nameOf(at), fault);
    }
    return given;
  };
  return {
    ...list,
    fromJson: (json, field, faults) =>
      checked(list.fromJson(json, field, faults), faults, (at) => `${field}[${at}]`),
    fromUrl: (values, faults) => checked(list.fromUrl(values, faults), faults, () => 'H'),
  };
}

export const intakeParameters = {
  from,
  message: text({
    get: 'M8',
    ...boundsOfMessage,
    description: 'Text for recipients without a text of their own.',
  }),
  batchconversation: text({
    get: 'BX',
    maxLength: maxConversationLength,
    description: 'Conversation id of the batch, and of recipients without one of their own.',
  }),
  costcenter,
  validminutes,
  defaultcountrycode,
  replacecharacters,
  category,
  holders: ofShortLabels(labels),
} as const;

/** The value is opened elsewhere, where only a list can become an Upload. */
export const batchParameter = declare<{ description: string; required: true }, Upload>(
  {
    required: true,
    description: 'The recipients. May be given only once in a body.',
  },
  {
    schema: Type.Array(objectSchema(recipientFields, 'BatchRecipient'), {
      maxItems: greatestMaxRecipients,
    }),
    urlNames: [],
    fromJson(json, field, faults) {
      if (json instanceof Upload) return json;
      faults.addWrongType(field, 'a list of objects', json);
      return undefined;
    },
    fromUrl: () => undefined,
  },
);

const jsonFields = ['username', 'password', 'apikey', ...Object.keys(intakeParameters)];

export const submittedBatch = Type.Object(
  {
    batchid: Type.String({ description: 'Id of the batch, for later calls.' }),
    batchconversation: Type.String(),
    batchstatuscode: Type.Integer({ description: '1: received.' }),
    batchstatusdescription: Type.String(),
  },
  { title: 'SubmittedBatch' },
);

export function batchSendEndpoints(batching: Batching, intake: Intake): readonly Endpoint<Caller>[] {
  return [
    endpoint({
      path: `${messaging}/batchsend/json`,
      methods: ['POST'],
      group: 'Batches',
      operation: 'sendBatchJson',
      title: 'Send a batch given as JSON',
      description:
        'Accepts up to hundreds of thousands of SMS at once. The answer comes when the whole batch has been checked and stored durably; other batch calls report its progress. Within a batch no number gets the same text twice.',
      example: {
        json: {
          message: 'Dear NAME, welcome.',
          holders: ['NAME'],
          batchconversation: 'autumn',
          batch: [
            { t: '46701740699', s: ['Anna'] },
            { t: '46701740698', m: 'Bo, please call us.', i: 'bo' },
          ],
        },
      },
      credentials: anyMethod,
      parameters: { ...intakeParameters, batch: batchParameter },
      answer: submittedBatch,
      errors: intakeErrors,
      isIdempotent: true,
      maxBodyBytes: noLimitOfItsOwn,
      openBody: (body, caller, closed) => intake.openJson(body, jsonFields, theCaller(caller), closed),
      handle: (caller, input, call) => submitBatch(batching, caller, input, input.batch, call.idempotencyKey),
    }),
    endpoint({
      path: `${messaging}/batchsend/list`,
      methods: ['POST'],
      group: 'Batches',
      operation: 'sendBatchLines',
      title: 'Send a batch given as lines',
      description:
        'Accepts the same kind of batch as `/batchsend/json`, but with one recipient per line: `number;message;conversation;substitution 1;substitution 2;…`. Only the number is required. Everything but the number is URL-decoded. Empty lines and lines beginning with `#` are ignored.',
      example: {
        url: { M8: 'Dear NAME, welcome.', H: ['NAME'], BX: 'autumn' },
        lines: '46701740699;;;Anna\n46701740698;Bo%2C+please+call+us.;bo\n',
      },
      credentials: anyMethodBesideLines,
      parameters: intakeParameters,
      answer: submittedBatch,
      errors: intakeErrors,
      isIdempotent: true,
      maxBodyBytes: noLimitOfItsOwn,
      body: 'lines',
      async handle(caller, input, call) {
        const upload = await intake.openLines(call.lines, theCaller(caller), call.closed);
        return submitBatch(batching, caller, input, upload, call.idempotencyKey);
      },
    }),
  ];
}
