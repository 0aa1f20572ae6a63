/**
 * Declares what `/send` takes and answers, once for all paths that send, and the management API's own endpoints for sending
 * and for a dry run.
 */
import Type from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import { type SelectionInput, selectionOf } from '../../contacts/select-recipients.ts';
import { selectionParameters } from '../../contacts/selection-parameters.ts';
import { errorContent } from '../../http/answers/error-response.ts';
import { anyMethod } from '../../http/credentials/credentials.ts';
import { type Call, endpointsFor } from '../../http/endpoints/endpoint.ts';
import { maxListedErrors } from '../../http/parameters/faults.ts';
import { boolean, text } from '../../http/parameters/kinds.ts';
import { numberList } from '../../http/parameters/lists.ts';
import { nextOf, pageParameters } from '../../http/parameters/page.ts';
import type { Input } from '../../http/parameters/parameter.ts';
import { findOutsiders } from '../../wire/sms/replacement.ts';
import { type Encoding, segment } from '../../wire/sms/segments.ts';
import type { OpenCallback } from '../callback.ts';
import { maxRecipients, type SendRequest, sendParameters, substitutions } from './parameters.ts';
import { type PreviewedMessage, preview } from './preview.ts';
import { type Sending, type SendOptions, send } from './send.ts';
import { selectionErrors, sendErrors } from './send-errors.ts';

const endpoint = endpointsFor<Caller>();

/** Large enough for 10,000 recipients, each with their own text. */
const maxBodyBytes = 10 * 1024 * 1024;

const recipientParameters = {
  to: numberList({
    get: 'T',
    default: [],
    maxItems: maxRecipients,
    description:
      'Phone numbers of the recipients. A `(0)` after the country code is dropped if it is only dialled within the country; a number with decimals (`4790601007.0`) or an exponent is rejected.',
  }),
  tosubst: substitutions,
  ...sendParameters,
} as const;

const sendCallParameters = {
  ...recipientParameters,
  shownumberparts: boolean({
    get: 'N',
    default: false,
    description: 'Adds the number of SMS parts to the response.',
  }),
  ...selectionParameters,
} as const;

/** Not a parameter of `/restsms/svcrest/send`, whose parameters are fixed. */
const callbackParameter = {
  callbackurl: text({
    maxLength: 2_000,
    description:
      'Each status of these messages from SENT on is posted to this https:// or http:// URL, as a `message.status` event of a webhook without texts. The posts are signed with the secret of `/api/v1/webhooks/callback-secret`.',
  }),
} as const;

type Given = Input<typeof recipientParameters> & SelectionInput;

/** Parameters that a request does not hold separately: they are combined in its `addressBook`. */
const noSelection = {
  toaddressbookcustomtagfilter: undefined,
  toaddressbooktagfilterjson: undefined,
  toaddressbooksavedtagfilters: undefined,
  toaddressbookgroups: undefined,
};

function requestOf(input: Given): SendRequest {
  return { ...input, ...noSelection, tosubst: input.tosubst ?? [], addressBook: selectionOf(input) };
}

export const acceptedMessage = Type.Object(
  {
    to: Type.String({ description: 'The phone number, digits only.' }),
    id: Type.String({ description: 'Id of the SMS, for reading its status.' }),
    parts: Type.Optional(Type.String({ description: 'Number of SMS parts, in digits.' })),
  },
  { title: 'AcceptedMessage' },
);

const rejection = Type.Object(
  {
    field: Type.String({ description: 'Position of the recipient in the call, such as `to[3]`.' }),
    ...errorContent,
  },
  { title: 'RejectedRecipient' },
);

/** Everything about an endpoint that sends like `/send`, except its path. */
export function sendCall(sending: Sending) {
  return {
    parameters: sendCallParameters,
    maxBodyBytes,
    answer: Type.Object({
      accepted: Type.Array(acceptedMessage, { description: 'Never empty; no number appears twice.' }),
      rejected: Type.Array(Type.String(), {
        description: 'Rejected recipients, as given.',
      }),
      errors: Type.Optional(
        Type.Array(rejection, {
          maxItems: maxListedErrors,
          description: 'Reasons for the first rejected recipients. Absent when empty.',
        }),
      ),
    }),
    errors: [...sendErrors, ...selectionErrors],
    isIdempotent: true,
    handle: (caller: Caller, input: Input<typeof sendCallParameters>, call: Call) =>
      sendAs(sending, caller, input, call),
  } as const;
}

async function sendAs(
  sending: Sending,
  caller: Caller,
  input: Input<typeof sendCallParameters>,
  call: Call,
  callback?: SendOptions['callback'],
) {
  const sent = await send(sending, caller, requestOf(input), call.idempotencyKey, { call, callback });
  return {
    accepted: sent.accepted.map(({ to, id, parts }) =>
      input.shownumberparts ? { to, id, parts: String(parts) } : { to, id },
    ),
    rejected: [...sent.rejected],
    errors: sent.errors?.map((one) => ({ ...one, field: call.fieldAsGiven(one.field) })),
  };
}

const hello = { to: ['+46 70 174 06 99'], message: 'Hello from Carillon' };

export function sendingEndpoints(sending: Sending, openCallback: OpenCallback) {
  const call = sendCall(sending);
  return [
    endpoint({
      path: '/api/v1/send',
      methods: ['POST'],
      group: 'Sending',
      operation: 'sendMessages',
      needsBody: true,
      title: 'Send as the portal does',
      description:
        'Does the same as `POST /restsms/svcrest/send`, and also takes a `callbackurl` and a portal session.',
      example: { json: hello },
      credentials: anyMethod,
      ...call,
      parameters: { ...sendCallParameters, ...callbackParameter },
      errors: [...call.errors, 'not_found', 'too_many_webhooks'],
      handle(caller, input, call) {
        const { callbackurl: url } = input;
        const open = (until: number) => openCallback(caller, { url: url ?? '', until }, call);
        return sendAs(sending, caller, input, call, url === undefined ? undefined : open);
      },
    }),
    previewEndpoint(sending),
  ] as const;
}

/** At most this many of a text's characters that require UCS-2 are reported; more would be of no use in correcting it. */
const maxOutsiders = 100;

const previewedText = Type.Object(
  {
    message: Type.String({ description: 'As it would reach the phone.' }),
    encoding: Type.Unsafe<Encoding>({ type: 'string', enum: ['gsm7', 'ucs2'] }),
    parts: Type.Integer({ description: 'Number of SMS parts.' }),
    characters: Type.Array(
      Type.Object({
        at: Type.Integer({ description: 'Position of the character in the message, in UTF-16 code units.' }),
        character: Type.String(),
        replacement: Type.Optional(
          Type.String({
            description:
              'A similar character, used with `replacecharacters` if that makes the whole text fit the GSM 03.38 alphabet; absent if there is none.',
          }),
        ),
      }),
      { description: `The first ${maxOutsiders} characters that require UCS-2.` },
    ),
  },
  { title: 'PreviewedText' },
);

const previewAnswer = Type.Object(
  {
    accepted: Type.Integer({ description: 'How many recipients would get an SMS.' }),
    rejected: Type.Integer({ description: 'How many recipients would get no SMS.' }),
    parts: Type.Integer({ description: 'SMS parts in total: the cost of the call.' }),
    quotaLeft: Type.Optional(
      Type.Integer({ description: 'SMS parts left in the account’s quota; absent if it has none.' }),
    ),
    refusal: Type.Optional(
      Type.Object(errorContent, {
        description: 'Why nothing at all would be sent, such as an insufficient quota.',
      }),
    ),
    from: Type.Optional(
      Type.String({ description: 'The sender; absent for two-way SMS, each of which has its own sender.' }),
    ),
    scheduled: Type.Optional(
      Type.String({ description: 'When it would be sent (ISO 8601, UTC); absent: now.' }),
    ),
    recipients: Type.Array(
      Type.Object({
        to: Type.String({
          description: 'The phone number, digits only; as given if it is rejected.',
        }),
        name: Type.Optional(Type.String({ description: "Name in the caller's default address book." })),
        text: Type.Optional(
          Type.Integer({
            description: 'Index of the recipient’s text in `texts`; absent if the recipient gets none.',
          }),
        ),
        from: Type.Optional(Type.String()),
        carrier: Type.Optional(
          Type.String({
            description: 'The carrier that would be chosen; one of them if several take turns.',
          }),
        ),
        code: Type.Optional(Type.String({ description: 'Error code, if it would be rejected.' })),
        error: Type.Optional(Type.String({ description: 'Why it would be rejected.' })),
        values: errorContent.values,
      }),
      { description: 'Rejected recipients come first.' },
    ),
    texts: Type.Array(previewedText, {
      description: 'The texts for this page’s recipients, without duplicates.',
    }),
    next: nextOf('recipients'),
  },
  { title: 'MessagesPreview' },
);

function previewEndpoint(sending: Sending) {
  return endpoint({
    path: '/api/v1/send/preview',
    methods: ['POST'],
    group: 'Sending',
    operation: 'previewMessages',
    needsBody: true,
    title: 'Preview sending',
    description:
      'Returns what a call of `/send` would do, using the same code: who would get which text from which sender in how many parts, and who would get no SMS and why. It sends and stores nothing, and uses no quota or numbers.',
    example: { json: hello },
    credentials: anyMethod,
    parameters: { ...recipientParameters, ...selectionParameters, ...pageParameters },
    maxBodyBytes,
    answer: previewAnswer,
    errors: [...sendErrors, ...selectionErrors],
    async handle(caller, input, call) {
      const after = input.after?.id ?? 0;
      const { limit } = input;
      const dryRun = await preview(sending, caller, requestOf(input), { after, limit }, call);
      const { accepted, rejected, parts, refused, sendAt } = dryRun;
      const { texts, recipients } = withTexts(dryRun.messages);
      return {
        accepted,
        rejected,
        parts,
        quotaLeft: dryRun.quotaLeft ?? undefined,
        from: dryRun.sender,
        refusal: refused && { code: refused.code, error: refused.message, values: refused.values },
        scheduled: sendAt === undefined ? undefined : new Date(sendAt).toISOString(),
        recipients: [
          ...dryRun.rejections.map(({ name, ...one }) => ({ ...one, name: name || undefined })),
          ...recipients,
        ],
        texts,
        next: dryRun.hasMore ? String(after + limit) : undefined,
      };
    },
  });
}

/** Each text is listed only once, however many recipients get it. */
function withTexts(messages: readonly PreviewedMessage[]) {
  const places = new Map<string, number>();
  const recipients = messages.map(({ to, name, text, sender, carrier }) => {
    const place = places.get(text) ?? places.size;
    places.set(text, place);
    return { to, name: name || undefined, text: place, from: sender, carrier };
  });
  const texts = [...places.keys()].map((message) => {
    const { encoding, parts } = segment(message);
    return {
      message,
      encoding,
      parts: parts.length,
      characters: findOutsiders(message).slice(0, maxOutsiders),
    };
  });
  return { texts, recipients };
}
