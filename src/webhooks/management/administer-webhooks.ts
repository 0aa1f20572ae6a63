/** Webhooks for who may: administrators those of their company, users their own. */
import type { Caller } from '../../accounts/caller.ts';
import { managedError } from '../../accounts/set-keys.ts';
import { ofUser, visibilityOf } from '../../accounts/visibility.ts';
import { byUser } from '../../audit/audit-log.ts';
import type { Clock } from '../../foundation/clock.ts';
import { errorOfFields, ServiceError } from '../../foundation/errors.ts';
import type { IfMatch } from '../../foundation/if-match.ts';
import { quoted } from '../../foundation/result.ts';
import type { Sealing } from '../../foundation/sealing.ts';
import type { Call } from '../../http/endpoints/endpoint.ts';
import type { Store } from '../../storage/store.ts';
import { maxOwnWebhooks, maxWebhooks, newSecret, placeOfSecret } from '../endpoint.ts';
import type { WebhookRecord } from '../endpoint-records.ts';
import { ForbiddenAddress, type LookUps } from '../posting/address-guard.ts';
import {
  type ChangeRefused,
  type Changes,
  changeWebhook,
  foreseeWebhook,
  type MakingRefused,
  makeWebhook,
  removeWebhook,
  rotateSecret,
} from './change-store.ts';
import { findCompanyName, findVisibleWebhook, type VisibleWebhook } from './list-store.ts';

export interface Administering {
  readonly store: Store;
  readonly clock: Clock;
  readonly sealing: Sealing;
  readonly lookUps: LookUps;
}

export async function visibleWebhook(
  { store }: Pick<Administering, 'store'>,
  caller: Caller,
  id: number,
): Promise<VisibleWebhook> {
  const found = await store.read(findVisibleWebhook, { visible: visibilityOf(caller), id });
  return found ?? unknown(id);
}

function unknown(id: number): never {
  throw new ServiceError('not_found', `There is no webhook ${id} that you see.`);
}

/** All but where, and of what. */
export interface WebhookSettings extends Omit<Changes, 'user' | 'url' | 'events'> {
  /** Null: of the company. */
  readonly username?: string | null | undefined;
}

export interface WebhookWithSecret {
  readonly webhook: VisibleWebhook;
  readonly secret: string;
}

export async function makeFor(
  administering: Administering,
  caller: Caller,
  { name, ...settings }: WebhookSettings & Pick<WebhookRecord, 'url' | 'events'> & { readonly name: string },
  call: Pick<Call, 'whileWaiting'>,
): Promise<WebhookWithSecret> {
  const { store, sealing } = administering;
  const { visible, user } = await whose(administering, caller, settings.username);
  refuseSilent(settings.events);
  const company = await store.read(findCompanyName, visible.companyId);
  const secret = newSecret();
  const { statuses, costCenter, conversationPrefix, batchId: batch } = settings;
  const filter = Object.entries({ statuses, costCenter, conversationPrefix, batch });
  const webhook: WebhookRecord = {
    company,
    id: name,
    url: settings.url,
    events: settings.events,
    user: user ?? undefined,
    secrets: [sealing.seal(secret, placeOfSecret({ company, name }))],
    filter: Object.fromEntries(filter.filter(([, value]) => value != null)),
    batch: settings.batch ?? false,
    text: settings.text ?? 'none',
    active: settings.active ?? true,
  };
  const wanted = { ...acting(administering, caller), visible, webhook };
  const foreseen = await store.read(foreseeWebhook, wanted);
  if (foreseen !== null) throw whyNot(foreseen, name);
  await refuseForbidden(administering, caller, settings.url, call);
  const made = await store.write(makeWebhook, wanted);
  if (typeof made !== 'number') throw whyNot(made, name);
  return { webhook: await visibleWebhook(administering, caller, made), secret };
}

export async function changeFor(
  administering: Administering,
  caller: Caller,
  { id, username, ...changes }: WebhookSettings & Pick<Changes, 'url' | 'events'> & { readonly id: number },
  call: Pick<Call, 'whileWaiting' | 'ifMatch'>,
): Promise<VisibleWebhook> {
  const { store } = administering;
  await visibleWebhook(administering, caller, id);
  const { visible, user } =
    username === undefined
      ? { visible: visibilityOf(caller), user: undefined }
      : await whose(administering, caller, username);
  if (changes.events !== undefined) refuseSilent(changes.events);
  if (changes.url !== undefined) await refuseForbidden(administering, caller, changes.url, call);
  const { ifMatch } = call;
  const change = { ...acting(administering, caller), visible, id, ifMatch, changes: { ...changes, user } };
  const done = await store.write(changeWebhook, change);
  if (typeof done !== 'number') throw whyNot(done, String(id));
  return visibleWebhook(administering, caller, done);
}

export async function removeFor(
  administering: Administering,
  caller: Caller,
  id: number,
  ifMatch: IfMatch,
): Promise<void> {
  const visible = visibilityOf(caller);
  const by = acting(administering, caller);
  const refused = await administering.store.write(removeWebhook, { ...by, visible, id, ifMatch });
  if (refused !== null) throw whyNot(refused, String(id));
}

/** Both secrets sign what is posted until the change is finished. */
export async function rotateFor(
  administering: Administering,
  caller: Caller,
  id: number,
): Promise<WebhookWithSecret> {
  const { name } = await visibleWebhook(administering, caller, id);
  const company = await administering.store.read(findCompanyName, caller.companyId);
  const secret = newSecret();
  const sealed = administering.sealing.seal(secret, placeOfSecret({ company, name }));
  return { webhook: await rotate(administering, caller, id, sealed), secret };
}

export function finishRotationFor(
  administering: Administering,
  caller: Caller,
  id: number,
): Promise<VisibleWebhook> {
  return rotate(administering, caller, id, undefined);
}

async function rotate(
  administering: Administering,
  caller: Caller,
  id: number,
  secret: string | undefined,
): Promise<VisibleWebhook> {
  const by = { ...acting(administering, caller), visible: visibilityOf(caller) };
  const refused = await administering.store.write(rotateSecret, { ...by, id, secret });
  if (refused !== null) throw whyNot(refused, String(id));
  return visibleWebhook(administering, caller, id);
}

function acting({ clock }: Administering, { username, session }: Caller) {
  return { username, session, now: clock.now() };
}

export function actOn(
  { clock }: Pick<Administering, 'clock'>,
  caller: Caller,
  { id }: { readonly id: number },
) {
  return { endpointId: id, now: clock.now(), by: byUser(caller) };
}

/**
 * Whose messages a webhook tells of, texts among them where it is told to. A user without further rights sees its own, and
 * so makes no other.
 */
async function whose({ store }: Administering, caller: Caller, username: string | null | undefined) {
  const visible = visibilityOf(caller);
  if (visible.userId !== null && username == null) return { visible, user: caller.username };
  if (username == null) return { visible, user: null };
  await ofUser(store, visible, username);
  return { visible, user: username };
}

function refuseSilent(events: WebhookRecord['events']): void {
  if (events.length === 0) throw invalid('events', '`events` names none: a webhook tells of one at least.');
}

/** As each post will be judged. A name that has no address yet may get one. */
async function refuseForbidden(
  { lookUps }: Administering,
  caller: Caller,
  url: string,
  call: Pick<Call, 'whileWaiting'>,
): Promise<void> {
  try {
    await call.whileWaiting(lookUps.addressesOf(caller, new URL(url).hostname));
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    if (!(error instanceof ForbiddenAddress)) return;
    const sentence = `\`url\` can't be posted to: ${error.message}. The operator may allow it (CARILLON_CALLBACK_ALLOW).`;
    throw invalid('url', sentence);
  }
}

function invalid(field: string, error: string): ServiceError {
  return errorOfFields({ code: 'invalid_value', error }, field);
}

/** `webhook`: its name, or its id. */
function whyNot(why: MakingRefused | ChangeRefused, webhook: string): ServiceError {
  switch (why.kind) {
    case 'taken':
      return new ServiceError('name_taken', `The company has a webhook ${quoted(webhook)} already.`);
    case 'tooMany':
      return new ServiceError(
        'too_many_webhooks',
        `A company has at most ${maxWebhooks} webhooks, and a user makes at most ${maxOwnWebhooks} of its own.`,
      );
    case 'userGone':
      return new ServiceError('not_found', 'The company has no such user any more.');
    case 'contradiction':
      return invalid(why.of === 'batch' ? 'batchId' : why.of, `The webhook ${why.sentence}.`);
    case 'managed':
      return managedError(`The webhook ${webhook}`);
    case 'changedMeanwhile':
      return new ServiceError(
        'changed_meanwhile',
        `Somebody else has changed the webhook ${webhook} meanwhile. Read it again, and decide anew. Nothing was changed.`,
      );
    case 'notFound':
      return unknown(Number(webhook));
  }
}
