/**
 * Wakes the people of an incident, and tells them how it goes on. Each act has an idempotency key made of the incident's id, so
 * that an act that is tried again after a crash is done once.
 */
import { type Caller, findCaller } from '../accounts/caller.ts';
import { byUser } from '../audit/audit-log.ts';
import { ServiceError } from '../foundation/errors.ts';
import { storedReason } from '../foundation/sentences.ts';
import { readWoken } from '../jobs/followed-run.ts';
import { findSavedJob } from '../jobs/saved-job.ts';
import { type Starting, startJob } from '../jobs/start-job.ts';
import { type Steering, steer } from '../jobs/steer.ts';
import { type Repeatable, repeatableOf } from '../messages/idempotency.ts';
import { plainRequest, type SendRequest } from '../messages/sending/parameters.ts';
import { type Sent, send } from '../messages/sending/send.ts';
import type { Language } from '../wire/answers/words.ts';
import { parseTagFilter } from '../wire/tag-filter.ts';
import type { ReceivedAlert } from './alert.ts';
import { type AlertOccasion, alertText, defaultAlertText } from './alert-text.ts';
import type { Incident } from './incident.ts';
import { readAlertsOf } from './incident-store.ts';
import type { AlertRecipients, FoundReceiver } from './receiver.ts';
import { findLanguage, listRecipients } from './recipients.ts';

export type Woken =
  | {
      readonly kind: 'woken';
      readonly message: string;
      readonly runId?: number;
      readonly messageId?: number;
      readonly messages?: number;
    }
  /** Nobody is woken, and trying again would not help. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'later'; readonly reason: string };

interface Matter {
  readonly incident: Incident;
  readonly receiver: FoundReceiver;
}

/** Starts the saved job, or sends the first SMS. */
export async function wakePeople(starting: Starting, { incident, receiver }: Matter): Promise<Woken> {
  const { store, clock } = starting.sending;
  return attempt(async () => {
    const caller = await findCaller(store, incident.userId);
    if (caller === undefined) return { kind: 'refused', reason: storedReason({ sentence: 'starter_gone' }) };
    const { action, alerts, untold, leftOut } = incident;
    const told = { incident, receiver, occasion: 'firing', first: incident.first } as const;
    const count = alerts - untold + leftOut;
    const again = repeatableOf(`incident ${incident.id} wake`, { incident: incident.id }, clock.now());
    if ('send' in action) {
      const language = await store.read(findLanguage, caller.companyId);
      const message = textOf({ ...told, count, language });
      const sent = await send(starting.sending, caller, requestTo(action.send, message), undefined, {
        repeatable: again,
      });
      return { kind: 'woken', message, ...messagesOf(sent) };
    }
    return start(starting, caller, { ...told, count, jobId: action.start, again });
  });
}

interface Told extends Matter {
  readonly occasion: AlertOccasion;
  readonly first: ReceivedAlert;
  readonly count: number;
}

async function start(
  starting: Starting,
  caller: Caller,
  { jobId, again, ...told }: Told & { readonly jobId: number; readonly again: Repeatable },
): Promise<Woken> {
  const { store } = starting.sending;
  const found = await store.read(findSavedJob, { userId: caller.userId, id: jobId });
  const language = found?.type?.settings.language ?? 'en';
  // The job answers whether it can be started at all.
  const question = found?.job.content.message ?? '';
  const message = [textOf({ ...told, language }), question].filter((text) => text !== '').join('\n');
  const request = { jobId, message, keep: false };
  const started = await startJob(starting, caller, request, ['message'], again);
  if (started.result === 'OK') return { kind: 'woken', message, runId: started.runtimeid };
  const { problem, errormessage } = started;
  return { kind: 'refused', reason: problem === undefined ? errormessage : storedReason(problem) };
}

function textOf({
  receiver,
  occasion,
  first,
  count,
  language,
}: Told & { readonly language: Language }): string {
  const template = receiver.settings.text === '' ? defaultAlertText : receiver.settings.text;
  return alertText(template, { occasion, receiver: receiver.name, first, count, language });
}

function requestTo({ numbers, tagFilter, groups }: AlertRecipients, message: string): SendRequest {
  const parsed = tagFilter === undefined ? undefined : parseTagFilter(tagFilter);
  const filter = parsed?.ok ? parsed.value : undefined;
  const selects = filter !== undefined || groups.length > 0;
  return {
    ...plainRequest,
    to: numbers,
    message,
    replacecharacters: true,
    ...(selects && {
      addressBook: {
        filterField: filter && ('toaddressbookcustomtagfilter' as const),
        filter,
        savedFilters: [],
        groups,
      },
    }),
  };
}

/** The messages of a call have consecutive ids. */
function messagesOf({ accepted }: Sent): { readonly messageId: number; readonly messages: number } {
  return { messageId: Number(accepted[0]?.id), messages: accepted.length };
}

/** Tells those who were woken of the alerts that have joined since. */
export function tellMore(starting: Starting, matter: Matter): Promise<Woken> {
  const { incident } = matter;
  return attempt(async () => {
    const { store } = starting.sending;
    const since = incident.untoldAt ?? incident.grownAt;
    const [joined] = await store.read(readAlertsOf, { incidentId: incident.id, since, limit: 1 });
    const first = joined?.alert ?? incident.first;
    const text = { ...matter, occasion: 'more', first, count: incident.untold } as const;
    // As many alerts have been told of before only once.
    return tell(starting, text, `more ${incident.alerts}`);
  });
}

/** Ends the run, and tells those who were woken and have not declined that it is over. */
export function tellResolved(starting: Starting, matter: Matter): Promise<Woken> {
  const { first, alerts } = matter.incident;
  return attempt(() =>
    tell(
      starting,
      { ...matter, occasion: 'resolved', first: { ...first, state: 'resolved' }, count: alerts },
      'resolved',
    ),
  );
}

async function tell(starting: Starting, told: Told, key: string): Promise<Woken> {
  const { incident, occasion } = told;
  const { store, clock } = starting.sending;
  const caller = await findCaller(store, incident.userId);
  if (caller === undefined) return { kind: 'refused', reason: storedReason({ sentence: 'starter_gone' }) };
  const language = await languageOf(starting, caller, incident);
  const message = textOf({ ...told, language });
  const named = `incident ${incident.id} ${key}`;
  const again = repeatableOf(named, { incident: incident.id }, clock.now());
  const { runId } = incident;
  if (runId === null) {
    const { companyId, messageId, messages } = incident;
    const to = await store.read(listRecipients, {
      companyId,
      messageId: messageId ?? 0,
      messages,
      owner: caller,
    });
    return sendTo(starting, caller, { to, message, again });
  }
  for (const steering of steeringsFor(occasion, message, incident.acknowledgedAt !== null)) {
    const { kind } = steering;
    const idempotencyKey = kind === 'tell' ? `${named} ${String(steering.to)}` : named;
    const done = await steerRun(starting, caller, { runId, steering, idempotencyKey });
    if (!done) return tellAfterEnd(starting, caller, { runId, occasion, message, again });
  }
  return { kind: 'woken', message };
}

async function languageOf(starting: Starting, caller: Caller, { action }: Incident): Promise<Language> {
  const { store } = starting.sending;
  if ('send' in action) return store.read(findLanguage, caller.companyId);
  const found = await store.read(findSavedJob, { userId: caller.userId, id: action.start });
  return found?.type?.settings.language ?? 'en';
}

/** Once somebody has taken care, nobody else is woken for more. */
function steeringsFor(occasion: AlertOccasion, text: string, isAcknowledged: boolean): readonly Steering[] {
  if (occasion === 'resolved') return [{ kind: 'cancel', text }];
  const assigned = { kind: 'tell', to: 'assigned', text } as const;
  return isAcknowledged ? [assigned] : [assigned, { kind: 'tell', to: 'silent', text }];
}

interface SteeredRun {
  readonly runId: number;
  readonly steering: Steering;
  readonly idempotencyKey: string;
}

/** False if the run has ended. */
async function steerRun(
  { sending: { store, clock } }: Starting,
  caller: Caller,
  { runId, steering, idempotencyKey }: SteeredRun,
): Promise<boolean> {
  const owner = { companyId: caller.companyId, userId: caller.userId };
  try {
    await steer(store, clock, { runId, owner, by: byUser(caller), idempotencyKey }, steering);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'run_ended' || error.code === 'not_found'))
      return false;
    throw error;
  }
}

interface AfterEnd {
  readonly runId: number;
  readonly occasion: AlertOccasion;
  readonly message: string;
  readonly again: Repeatable;
}

/** A run that has ended tells nobody anything, but those who were asked still wonder. */
async function tellAfterEnd(
  starting: Starting,
  caller: Caller,
  { runId, occasion, message, again }: AfterEnd,
): Promise<Woken> {
  const woken = await starting.sending.store.read(readWoken, { runId, owner: caller });
  // A supervisor who called it off has told them.
  const isTold = woken === null || (woken.outcome === 'CANCELED' && occasion === 'resolved');
  const to = isTold ? [] : woken.phones;
  return sendTo(starting, caller, { to, message, again });
}

interface FurtherText {
  readonly to: readonly string[];
  readonly message: string;
  readonly again: Repeatable;
}

/** Who may start jobs may tell those who were asked, as a run does. */
async function sendTo(
  { sending }: Starting,
  caller: Caller,
  { to, message, again: repeatable }: FurtherText,
): Promise<Woken> {
  if (to.length > 0) {
    const payer = { ...caller, roles: new Set([...caller.roles, 'send' as const]) };
    await send(sending, payer, { ...plainRequest, to, message, replacecharacters: true }, undefined, {
      repeatable,
    });
  }
  return { kind: 'woken', message };
}

/** Faults of the call stay faults; whatever else goes wrong may go well later. */
async function attempt(act: () => Promise<Woken>): Promise<Woken> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { status, values, message, errors } = error;
    const [first] = errors;
    const reason = first?.values ?? values;
    const said = reason === undefined ? (first?.error ?? message) : storedReason(reason);
    const isPassing = status >= 500 || status === 429 || status === 408;
    return { kind: isPassing ? 'later' : 'refused', reason: said };
  }
}
