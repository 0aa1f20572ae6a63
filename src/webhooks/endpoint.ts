/** An endpoint: where a company, a user or a system user is told of events, and of which. */
import { randomBytes } from 'node:crypto';
import type { SealedPlace } from '../foundation/sealing.ts';
import { type StatusName, status, statusNames } from '../messages/message.ts';

/** What is told of. Their places are the codes that the store has: a new one comes last. */
export const eventTypes = [
  'message.status',
  'message.incoming',
  'batch.status',
  'job.start',
  'job.assign',
  'job.finish',
  'job.warning',
  'job.reply',
  'job.escalate',
  'job.unassign',
  'webhook.test',
] as const;
export type EventType = (typeof eventTypes)[number];

/** What a webhook can ask for. A test is sent to whichever is tested. */
export const subscribable = eventTypes.filter((type) => type !== 'webhook.test');

const isOfJob = (type: EventType) => type.startsWith('job.');

/** The journal of changes has these. */
export const journalTypes = subscribable.filter((type) => !isOfJob(type));

export function codeOf(type: EventType): number {
  return eventTypes.indexOf(type);
}

type NameIn<Type> = Type extends `job.${infer Kind}` ? `JOB_${Uppercase<Kind>}` : never;
/** An event of a job by its name in callbacks (API: Job event callbacks). */
export type JobEventName = NameIn<EventType>;
export const jobEventTypes = Object.fromEntries(
  eventTypes.filter(isOfJob).map((type) => [type.replace('.', '_').toUpperCase(), type]),
) as Readonly<Record<JobEventName, EventType>>;

/** Each callback has these. */
const alwaysTold: readonly JobEventName[] = ['JOB_START', 'JOB_ASSIGN', 'JOB_FINISH'];
/** A callback has these only when it asks for them. */
export const optionalJobEvents = (Object.keys(jobEventTypes) as JobEventName[]).filter(
  (name) => !alwaysTold.includes(name),
);

export function callbackTypes(events: readonly JobEventName[]): readonly EventType[] {
  return [...alwaysTold, ...events].map((name) => jobEventTypes[name]);
}

/** A filter that names no statuses has these: those that the answer to the call has not told already. */
export const standardStatuses = statusNames.filter(
  (name) => status[name] !== status.QUEUED && status[name] !== status.SCHEDULED,
);

/** A bit for each that is among the items, by its place in the list. */
export function bitsOf<Item>(all: readonly Item[], items: readonly Item[]): number {
  return all.reduce((bits, item, place) => (items.includes(item) ? bits | (1 << place) : bits), 0);
}

export function itemsOf<Item>(all: readonly Item[], bits: number): readonly Item[] {
  return all.filter((_, place) => (bits >> place) & 1);
}

export const maxWebhooks = 20;
/** That a user without further rights makes: of those of the company. */
export const maxOwnWebhooks = 3;
export const maxUrlLength = 2_000;
export const maxSecrets = 2;

/** Why nothing is posted to an endpoint, as it is stored. */
export const disabledReasons = {
  gone: 'the receiver has answered 410: it wants no more',
  failures: 'nothing but failures for five days',
  operator: 'by the operator',
  company: 'by a user of the company',
} as const;
export type DisabledReason = keyof typeof disabledReasons;

export interface WebhookFilter {
  readonly statuses?: readonly StatusName[] | undefined;
  readonly costCenter?: string | undefined;
  readonly conversationPrefix?: string | undefined;
  /** The id of a batch. */
  readonly batch?: string | undefined;
}

/** Without what it does not filter by. */
export function filterBy(
  given: {
    readonly [Name in keyof WebhookFilter]: WebhookFilter[Name] | null;
  },
): WebhookFilter {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value != null));
}

interface Contradiction {
  readonly of: keyof WebhookFilter;
  /** Goes on after the name of the filter. */
  readonly sentence: string;
}

/** A filter that says nothing of what is asked for is a mistake, and events that it lets through would be a surprise. */
export function contradictionsIn(
  events: readonly EventType[],
  { statuses, ...others }: WebhookFilter,
): readonly Contradiction[] {
  const [other] = Object.keys(others) as (keyof typeof others)[];
  const ofJobs = events.find(isOfJob);
  const needless = 'has statuses, which only message.status has: it is not among the events';
  const unfiltered = `has ${other}, which ${ofJobs} has not: give jobs a webhook of their own`;
  return [
    ...(statuses === undefined || events.includes('message.status')
      ? []
      : [{ of: 'statuses', sentence: needless } as const]),
    ...(other === undefined || ofJobs === undefined ? [] : [{ of: other, sentence: unfiltered }]),
  ];
}

/** What provisioning knows it by, in the whole service. */
export function webhookKeyOf({ company, id }: { readonly company: string; readonly id: string }): string {
  return `${id} ${company}`;
}

/** Where a secret is stored, of which a webhook may have several: the old one and the new. */
export function placeOfSecret({
  company,
  name,
}: {
  readonly company: string;
  readonly name: string;
}): SealedPlace {
  return ['webhook', company, name];
}

export function placeOfCallbackSecret(username: string): SealedPlace {
  return ['callback', username];
}

export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** A secret of Standard Webhooks: `whsec_` and 24 to 64 octets in base64. */
export function keyOfSecret(secret: string): Buffer | undefined {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(base64, 'base64');
  return key.length >= 24 && key.length <= 64 && key.toString('base64') === base64 ? key : undefined;
}

/** What is wrong with an address that is to be posted to; undefined: nothing that can be seen in its text. */
export function faultOfUrl(text: string): string | undefined {
  if (text.length > maxUrlLength) return `must have at most ${maxUrlLength} characters`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    return 'must be an https:// or http:// URL';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or a password';
  return url.hash === '' && !text.includes('#') ? undefined : 'must not have a part behind #';
}
