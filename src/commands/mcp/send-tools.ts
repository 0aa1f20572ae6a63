/** The tools by which an agent sends: a preview, which costs nothing, and the sending of exactly what the preview showed. */
import Type, { type Static } from 'typebox';
import { maxTextLength } from '../../wire/sms/substitution.ts';
import { type AnswerOf, type Api, CallError } from '../api.ts';
import { digestOf, type Plan, type Previews, toRepeat } from './previews.ts';
import { answer, cut, reads, refusal, sends, type Tool, tool } from './tool.ts';

/** An agent that is to reach more people starts a saved job, or prepares a batch for a person. */
const maxRecipients = 1_000;
/** The size of the API's pages. */
const pageSize = 200;
const maxShownRecipients = 50;
const maxShownTexts = 10;
/** A dozen parts. */
const longestShownText = 2_000;
/** Clocks of nodes may differ by this much. */
const clockSlackMs = 5_000;

const number = Type.String({ minLength: 1, maxLength: 40 });

export const repetition = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 100,
    description:
      'Omit it. 2, 3 and so on: repeats on purpose what was done with the same content within 24 hours.',
  }),
);

export const token = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The token of the preview, which is valid in this session only.',
});

const content = {
  to: Type.Optional(
    Type.Array(number, { maxItems: maxRecipients, description: 'Phone numbers: +46 70 174 06 99.' }),
  ),
  recipients: Type.Optional(
    Type.Array(
      Type.Object(
        {
          to: number,
          values: Type.Record(Type.String(), Type.String({ maxLength: 1_000 }), {
            description: 'What replaces each label: {"name": "Anna"} fills in {Text:name} of a template.',
          }),
        },
        { additionalProperties: false },
      ),
      { maxItems: maxRecipients, description: 'Recipients with values of their own.' },
    ),
  ),
  groups: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: 100,
      description: 'Names of groups of the default address book.',
    }),
  ),
  savedFilter: Type.Optional(
    Type.String({ maxLength: 200, description: 'Name of a saved filter of the default address book.' }),
  ),
  tagFilter: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description: 'People of the default address book by tags: role:nurse|doctor;ward:7.',
    }),
  ),
  message: Type.Optional(
    Type.String({ maxLength: maxTextLength, description: 'The text. Or give templateId.' }),
  ),
  templateId: Type.Optional(
    Type.String({ maxLength: 19, description: 'Id of a saved template, as `search` finds it.' }),
  ),
  from: Type.Optional(
    Type.String({ maxLength: 40, description: 'The sender; default: that of the account.' }),
  ),
  twoWay: Type.Optional(
    Type.Boolean({ description: 'Send from a number to which people can answer, instead of `from`.' }),
  ),
  scheduleTime: Type.Optional(
    Type.String({ maxLength: 50, description: 'When to send: 2027-01-31T08:00:00+01:00. Default: now.' }),
  ),
  category: Type.Optional(
    Type.Union([Type.Literal('essential'), Type.Literal('notification'), Type.Literal('marketing')], {
      description: 'What it is for people who have opted out of some.',
    }),
  ),
  costCenter: Type.Optional(Type.String({ maxLength: 1_000 })),
  countryCode: Type.Optional(
    Type.String({ maxLength: 4, description: 'Replaces the single leading zero of numbers: 46.' }),
  ),
  repetition,
};

const previewInput = Type.Object(content, { additionalProperties: false });
type Content = Static<typeof previewInput>;

export function sendTools(api: Api, previews: Previews): readonly Tool[] {
  return [
    tool({
      name: 'preview',
      title: 'Preview an SMS',
      description:
        'Shows what `send` would do, and sends nothing: who would get which text in how many SMS parts (the cost), and who would get none and why. Returns a token for `send`. Show the user the recipients, the text and the cost before sending.',
      input: previewInput,
      annotations: reads,
      run: (input) => preview(api, previews, input),
    }),
    tool({
      name: 'send',
      title: 'Send an SMS',
      description:
        'Sends what was previewed: takes the token and exactly the input of `preview`. The same token sends once, however often it is used. After `unknown_end` never send again; ask `outcome`.',
      input: Type.Object({ token, ...content }, { additionalProperties: false }),
      annotations: sends,
      run: ({ token: given, ...sent }) => previews.carryOut('send', given, sent),
    }),
  ];
}

/** The call of the API. */
function callOf({ to, recipients, groups, savedFilter, ...given }: Content) {
  return {
    to,
    tosubst: recipients?.map((one) => ({ to: one.to, subst: one.values })),
    toaddressbookgroups: groups,
    toaddressbooksavedtagfilters: savedFilter === undefined ? undefined : [savedFilter],
    toaddressbookcustomtagfilter: given.tagFilter,
    message: given.message,
    templateid: given.templateId,
    from: given.from,
    twoway: given.twoWay,
    scheduletime: given.scheduleTime,
    category: given.category,
    costcenter: given.costCenter,
    defaultcountrycode: given.countryCode,
  };
}

type Previewed = AnswerOf<'POST', '/api/v1/send/preview'>;
/** A recipient, with the text itself or why there is none. */
type Recipient = Omit<Previewed['recipients'][number], 'text'> & { readonly text: string | undefined };

interface WholePreview {
  readonly first: Previewed;
  readonly recipients: readonly Recipient[];
  readonly texts: ReadonlyMap<string, Previewed['texts'][number]>;
}

/** All pages of a preview; undefined if it has too many recipients. */
async function readPreview(api: Api, input: Content): Promise<WholePreview | undefined> {
  const recipients: Recipient[] = [];
  const texts: WholePreview['texts'] = new Map();
  let first: Previewed | undefined;
  let after: string | undefined;
  do {
    const page = await api.post('/api/v1/send/preview', { ...callOf(input), after, limit: pageSize });
    first ??= page;
    if (first.accepted + first.rejected > maxRecipients) return undefined;
    for (const one of page.texts) (texts as Map<string, Previewed['texts'][number]>).set(one.message, one);
    recipients.push(
      ...page.recipients.map((one) => ({
        ...one,
        text: one.text === undefined ? undefined : page.texts[one.text]?.message,
      })),
    );
    after = page.next;
  } while (after !== undefined && recipients.length <= maxRecipients);
  return { first, recipients, texts };
}

/** What must be the same when it is sent. A carrier, or a number to answer to, may be another each time. */
function shownBy(whole: WholePreview | undefined): string {
  if (whole === undefined) return 'too many recipients';
  const { first, recipients } = whole;
  const { accepted, rejected, parts, from, scheduled, refusal: why } = first;
  const people = recipients.map(({ to, text, code }) => [to, text, code]);
  return digestOf({ accepted, rejected, parts, from, scheduled, refusal: why?.code, people });
}

async function preview(api: Api, previews: Previews, input: Content) {
  const whole = await readPreview(api, input);
  if (whole === undefined)
    return refusal(
      'too_many_recipients',
      `These are more than ${maxRecipients} recipients, which this tool does not send to. Start a saved job, or let a person send it in the portal.`,
    );
  const { first, recipients, texts } = whole;
  const shown = {
    accepted: first.accepted,
    rejected: first.rejected,
    parts: first.parts,
    quotaLeft: first.quotaLeft,
    from: first.from,
    scheduled: first.scheduled,
    recipients: recipients.slice(0, maxShownRecipients).map(({ to, name, text, code, error }) => ({
      to,
      name,
      text: texts.size > 1 ? text && cut(text) : undefined,
      code,
      error,
    })),
    moreRecipients: Math.max(0, recipients.length - maxShownRecipients),
    texts: [...texts.values()]
      .slice(0, maxShownTexts)
      .map(({ message, encoding, parts, characters: outsiders }) => ({
        message: cut(message, longestShownText),
        characters: message.length,
        encoding,
        parts,
        makeItUnicode: outsiders.slice(0, 10).map(({ character }) => character),
      })),
    moreTexts: Math.max(0, texts.size - maxShownTexts),
  };
  if (first.refusal !== undefined || first.accepted === 0) {
    const { code, error } = first.refusal ?? {
      code: 'nothing_queued',
      error: 'No recipient could be accepted.',
    };
    return refusal(code, `This can't be sent: ${error}`, shown);
  }
  const held = previews.hold(planOf(api, input, whole));
  return answer({ ...held, ...shown });
}

function planOf(api: Api, input: Content, whole: WholePreview): Plan {
  const sample = whole.recipients.find(({ text }) => text !== undefined) as Recipient;
  let begun = api.answeredAt;
  return {
    tool: 'send',
    content: input,
    shown: shownBy(whole),
    showAgain: async () => {
      const shown = shownBy(await readPreview(api, input));
      begun = api.answeredAt;
      return shown;
    },
    carryOut: async (idempotencyKey) => {
      const call = { ...callOf(input), shownumberparts: true };
      const { accepted, rejected, errors = [] } = await api.post('/api/v1/send', call, { idempotencyKey });
      return {
        accepted: accepted.length,
        messages: accepted.slice(0, maxShownRecipients),
        rejected: rejected.length,
        whyRejected: errors.slice(0, maxShownRecipients).map(({ field, error }) => ({ field, error })),
        ...(await earlierThan(begun, () => acceptedAt(api, accepted[0]?.id ?? ''))),
      };
    },
    look: () => findSent(api, sample, begun),
  };
}

async function acceptedAt(api: Api, id: string): Promise<string> {
  return (await api.get('/api/v1/messages/{id}', { id })).accepted;
}

/** Says that the server gave the answer of an earlier call, which had the same content and so the same key. */
export async function earlierThan(begun: number, readTime: () => Promise<string>): Promise<object> {
  try {
    const time = await readTime();
    if (Date.parse(time) >= begun - clockSlackMs) return {};
    return { doneBefore: time, note: `The same was done at ${time}, so nothing was done now. ${toRepeat}` };
  } catch (error) {
    // The key may not read, or the server is gone just now: it has sent all the same.
    if (error instanceof CallError) return {};
    throw error;
  }
}

/** A call is stored as a whole or not at all, so the message to one of its recipients stands for all. */
async function findSent(api: Api, { to, text }: Recipient, begun: number): Promise<object> {
  const since = new Date(begun - clockSlackMs).toISOString();
  const { messages } = await api.get('/api/v1/messages', { to, since, limit: 10 });
  for (const { id, status, accepted } of messages)
    if ((await api.get('/api/v1/messages/{id}', { id })).message === text)
      return { id, to, status, accepted, meaning: 'It was accepted, with all of its recipients.' };
  return { nothing: `No SMS with this text to ${to} since ${since}.` };
}
