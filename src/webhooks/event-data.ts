/**
 * The fields of what is posted about each event, declared once: the events are written from these declarations, and the OpenAPI
 * document describes them.
 */
import { batchCode, describeBatchCode } from '../batches/batch.ts';
import { statusNames } from '../messages/message.ts';
import { optOutCategories } from '../opt-outs/opt-out.ts';
import { type EventType, type JobEventName, jobEventTypes } from './endpoint.ts';

interface Field {
  /** `digits` are a number in a text; a `word` is one of `words`. */
  readonly form: 'text' | 'digits' | 'integer' | 'word';
  readonly words?: readonly string[];
  readonly description: string;
  /** When the field is there: if its column has a value, or for webhooks with `text: full`. By default it always is. */
  readonly only?: 'ifAny' | 'ifFullText';
}

export type Fields = Readonly<Record<string, Field>>;

const time = { form: 'digits', description: 'When it happened, in milliseconds since 1970.' } as const;
const message = { form: 'text', only: 'ifFullText', description: 'The text, with `text: full`.' } as const;
const conversation = { form: 'text', description: 'Conversation id; empty: none.' } as const;

const optedOut = {
  number: { form: 'text', description: 'Number of the person.' },
  category: { form: 'word', words: optOutCategories, description: '`all` after STOP.' },
  to: { form: 'text', description: 'Your number that the SMS came to; empty if there was none.' },
  id: { form: 'digits', only: 'ifAny', description: 'Id of the SMS; absent if there was none.' },
  time,
} as const satisfies Fields;

const { category: _, ...optedIn } = optedOut;

/** The data of the events that come from the change journal. */
export const journalData = {
  'message.status': {
    id: { form: 'digits', description: 'Id of the message.' },
    status: { form: 'word', words: statusNames, description: 'The new status.' },
    statuscode: { form: 'digits', description: 'The code of the status.' },
    to: { form: 'text', description: 'Recipient.' },
    from: { form: 'text', description: 'Sender.' },
    conversation,
    costcenter: { form: 'text', description: 'Cost centre; empty: none.' },
    batchid: { form: 'digits', only: 'ifAny', description: 'Absent if the message is not from a batch.' },
    time,
    message,
  },
  'message.incoming': {
    id: { form: 'digits', description: 'Id of the SMS.' },
    from: { form: 'text', description: 'Sender.' },
    to: { form: 'text', description: 'Your number that the SMS came to.' },
    conversation,
    resptoid: {
      form: 'digits',
      only: 'ifAny',
      description: 'Id of the message that it answers; absent: it answers none.',
    },
    time,
    message,
  },
  'batch.status': {
    batchid: { form: 'digits', description: 'Id of the batch.' },
    batchstatuscode: { form: 'integer', description: 'The new status code.' },
    batchstatusdescription: {
      form: 'word',
      words: Object.values(batchCode).map(describeBatchCode),
      description: 'What the code means.',
    },
    batchconversation: conversation,
    time,
  },
  'contact.opted_out': optedOut,
  'contact.opted_in': optedIn,
} as const satisfies Partial<Record<EventType, Fields>>;

export type JournalType = keyof typeof journalData;

/** The data of job events, which is also the whole callback of a system user (API: callback body). */
export const callbackFields = {
  jobid: { form: 'digits', description: 'Id of the run.' },
  userid: { form: 'integer', description: 'Id of the system user.' },
  eventtype: {
    form: 'word',
    words: Object.keys(jobEventTypes) as readonly JobEventName[],
    description: 'What happened.',
  },
  timestamp: { form: 'integer', description: 'When, in milliseconds since 1970.' },
  jobtype: { form: 'text', description: 'Name of the job type; empty if the event concerns one person.' },
  sendtaskid: { form: 'text', description: 'Id of the task; empty: all tasks.' },
  sendname: { form: 'text', description: 'Name of the person concerned, or empty.' },
  contactid: { form: 'text', description: 'Contact id of the person concerned, or empty.' },
  agent: { form: 'text', description: 'Who acted.' },
  outcome: {
    form: 'word',
    words: ['GOAL_REACHED', 'ALL_ANSWERED', 'EXPIRED', 'CANCELED'],
    only: 'ifAny',
    description: 'How the run ended, at its end only.',
  },
} as const satisfies Fields;

type ValueOf<One extends Field> = One extends { readonly form: 'integer' }
  ? number
  : One extends { readonly words: readonly (infer Word)[] }
    ? Word
    : string;

/** An object with these fields. */
export type Data<Declared extends Fields> = {
  readonly [Name in keyof Declared as Declared[Name] extends { readonly only: string }
    ? never
    : Name]: ValueOf<Declared[Name]>;
} & {
  readonly [Name in keyof Declared as Declared[Name] extends { readonly only: string }
    ? Name
    : never]?: ValueOf<Declared[Name]>;
};

/** The data of `webhook.test`. */
export const testData = { test: true };
