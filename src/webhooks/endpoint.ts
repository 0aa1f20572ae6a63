/** An endpoint: where events for a company, a user or a system user are posted, and which events. */
import { randomBytes } from 'node:crypto';
import type { SealedPlace } from '../foundation/sealing.ts';
import { type StatusName, status, statusNames } from '../messages/message.ts';

/** The event types. Their positions are the codes in the store, so new ones are appended. */
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
  'contact.opted_out',
  'contact.opted_in',
] as const;
export type EventType = (typeof eventTypes)[number];

/** The events that a webhook can subscribe to. A test goes to whichever webhook is tested. */
export const subscribable = eventTypes.filter((type) => type !== 'webhook.test');

const isOfJob = (type: EventType) => type.startsWith('job.');

/** Events that come from the change journal. */
export const journalTypes = subscribable.filter((type) => !isOfJob(type));

export function codeOf(type: EventType): number {
  return eventTypes.indexOf(type);
}

type NameIn<Type> = Type extends `job.${infer Kind}` ? `JOB_${Uppercase<Kind>}` : never;
/** The name of a job event in callbacks (API: Job event callbacks). */
export type JobEventName = NameIn<EventType>;
export const jobEventTypes = Object.fromEntries(
  eventTypes.filter(isOfJob).map((type) => [type.replace('.', '_').toUpperCase(), type]),
) as Readonly<Record<JobEventName, EventType>>;

/** Events that every callback gets. */
const alwaysSent = ['JOB_START', 'JOB_ASSIGN', 'JOB_FINISH'] as const satisfies readonly JobEventName[];
export type OptionalJobEvent = Exclude<JobEventName, (typeof alwaysSent)[number]>;
/** Events that a callback gets only if it asks for them. */
export const optionalJobEvents = (Object.keys(jobEventTypes) as JobEventName[]).filter(
  (name): name is OptionalJobEvent => !alwaysSent.some((always) => always === name),
);

export function callbackTypes(events: readonly OptionalJobEvent[]): readonly EventType[] {
  return [...alwaysSent, ...events].map((name) => jobEventTypes[name]);
}

/**
 * The default statuses of a filter that names none: statuses that the response to the call has not already reported.
 */
export const standardStatuses = statusNames.filter(
  (name) => status[name] !== status.QUEUED && status[name] !== status.SCHEDULED,
);

/** Sets one bit per item, by its position in the list. */
export function bitsOf<Item>(all: readonly Item[], items: readonly Item[]): number {
  return all.reduce((bits, item, place) => (items.includes(item) ? bits | (1 << place) : bits), 0);
}

export function itemsOf<Item>(all: readonly Item[], bits: number): readonly Item[] {
  return all.filter((_, place) => (bits >> place) & 1);
}

export const maxWebhooks = 20;
/** How many of the company's webhooks a user without further rights may create. */
export const maxOwnWebhooks = 3;
export const maxUrlLength = 2_000;
export const maxSecrets = 2;

/** The reasons why nothing is posted to an endpoint, as stored. */
export const disabledReasons = {
  gone: 'the receiver has answered 410: it wants no more posts',
  failures: 'every post has failed for five days',
  operator: 'by the operator',
  company: 'by a user of the company',
} as const;
export type DisabledReason = keyof typeof disabledReasons;

export interface WebhookFilter {
  readonly statuses?: readonly StatusName[] | undefined;
  readonly costCenter?: string | undefined;
  readonly conversationPrefix?: string | undefined;
  /** A batch id. */
  readonly batch?: string | undefined;
}

/** Removes the fields that the filter does not use. */
export function filterBy(
  given: {
    readonly [Name in keyof WebhookFilter]: WebhookFilter[Name] | null;
  },
): WebhookFilter {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value != null));
}

interface Contradiction {
  readonly of: keyof WebhookFilter;
  /** The end of a sentence that begins with the name of the filter. */
  readonly sentence: string;
}

/**
 * A filter that does not apply to the requested events is a mistake, and the events that it would let through would come as a
 * surprise.
 */
export function contradictionsIn(
  events: readonly EventType[],
  { statuses, ...others }: WebhookFilter,
): readonly Contradiction[] {
  const [other] = Object.keys(others) as (keyof typeof others)[];
  const unfilterable = events.find((type) => isOfJob(type) || type.startsWith('contact.'));
  const needless = 'has statuses, which apply only to message.status, but that is not among its events';
  const unfiltered = `has ${other}, which ${unfilterable} events do not have: add a separate webhook for these`;
  return [
    ...(statuses === undefined || events.includes('message.status')
      ? []
      : [{ of: 'statuses', sentence: needless } as const]),
    ...(other === undefined || unfilterable === undefined ? [] : [{ of: other, sentence: unfiltered }]),
  ];
}

/** The key by which provisioning identifies a webhook across the whole service. */
export function webhookKeyOf({ company, id }: { readonly company: string; readonly id: string }): string {
  return `${id} ${company}`;
}

/** The storage place of a webhook's secrets. There may be two: the old one and the new one. */
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

/** The storage place of the secrets of all callback URLs of a user. */
export function placeOfCallbackUrlSecret(userId: number): SealedPlace {
  return ['callbackurl', String(userId)];
}

export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Decodes a Standard Webhooks secret: `whsec_` and 24 to 64 octets in base64. */
export function keyOfSecret(secret: string): Buffer | undefined {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(base64, 'base64');
  return key.length >= 24 && key.length <= 64 && key.toString('base64') === base64 ? key : undefined;
}

/** Returns what is wrong with an address to post to, as far as its text shows, or undefined. */
export function faultOfUrl(text: string): string | undefined {
  if (text.length > maxUrlLength) return `must have at most ${maxUrlLength} characters`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    return 'must be an https:// or http:// URL';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password';
  return url.hash === '' && !text.includes('#') ? undefined : 'must not have a part after #';
}
