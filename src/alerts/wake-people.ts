/**
 * Wakes the people of an incident, and tells them how it goes on. Each act has an idempotency key made of the incident's id, so
 * that an act that is tried again after a crash is done once.
 */
import { type Caller, findCaller } from '../accounts/caller.ts';
import { type Actor, byUser, operator } from '../audit/audit-log.ts';
import { type ErrorCode, ServiceError } from '../foundation/errors.ts';
import { type Sentence, storedReason } from '../foundation/sentences.ts';
import { readWoken } from '../jobs/followed-run.ts';
import { mailAfterEnd } from '../jobs/proceed.ts';
import { findSavedJob } from '../jobs/saved-job.ts';
import { type Started, type Starting, startJob } from '../jobs/start-job.ts';
import { type Steering, steer } from '../jobs/steer.ts';
import { answerAgain, findEarlier, ownKey, type Repeatable, repeatableOf } from '../messages/idempotency.ts';
import { plainRequest, type SendRequest } from '../messages/sending/parameters.ts';
import { type Sent, send } from '../messages/sending/send.ts';
import { defaultAlertText } from '../wire/alert-text.ts';
import type { Language } from '../wire/answers/words.ts';
import { parseTagFilter } from '../wire/tag-filter.ts';
import type { ReceivedAlert } from './alert.ts';
import { type AlertOccasion, alertText } from './alert-text.ts';
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

/** `name` is unique within the incident. */
function repeatableAct({ id }: Incident, name: string, now: number): Repeatable {
  return repeatableOf(ownKey(`incident ${id} ${name}`), { incident: id }, now);
}

interface Begun {
  readonly runId?: number;
  readonly messageId?: number;
  readonly messages?: number;
}

/** What an earlier try has begun, even if the node stopped before that was kept; null if nothing. */
async function findBegun({ sending: { store, clock } }: Starting, incident: Incident): Promise<Begun | null> {
  const { companyId, userId, action } = incident;
  const again = repeatableAct(incident, 'wake', clock.now());
  // Earlier builds kept the key without its first character.
  const keys = [again.key, again.key.slice(1)];
  const found = await Promise.all(
    keys.map((key) => store.read(findEarlier, { companyId, userId, ...again, key })),
  );
  const earlier = found.find((one) => one?.kind === 'repeated');
  if (earlier == null) return null;
  const answer = answerAgain(earlier);
  return 'send' in action ? messagesOf(answer as Sent) : { runId: (answer as Started).runtimeid };
}

/**
 * Starts the saved job, or sends the first SMS, unless an earlier try has done so. Null if nobody has been woken, and nothing
 * fires any more.
 */
export async function wakePeople(starting: Starting, matter: Matter): Promise<Woken | null> {
  const { incident } = matter;
  const begun = await findBegun(starting, incident);
  if (begun === null && incident.firing <= 0) return null;
  return attempt(async () => {
    const language = await languageOf(starting, incident);
    const { alerts, untold, leftOut, first } = incident;
    const count = alerts - untold + leftOut;
    const text = textOf({ ...matter, occasion: 'firing', first, count, language });
    return begun === null
      ? begin(starting, incident, text)
      : { kind: 'woken', message: await withQuestion(starting, incident, text), ...begun };
  }, passingToWake);
}

async function begin(starting: Starting, incident: Incident, text: string): Promise<Woken> {
  const { store, clock } = starting.sending;
  const { userId, action } = incident;
  const caller = await findCaller(store, userId);
  if (caller === undefined) return { kind: 'refused', reason: storedReason({ sentence: 'starter_gone' }) };
  const again = repeatableAct(incident, 'wake', clock.now());
  const message = await withQuestion(starting, incident, text);
  if ('send' in action) {
    const request = requestTo(action.send, message);
    const sent = await send(starting.sending, caller, request, undefined, { repeatable: again });
    return { kind: 'woken', message, ...messagesOf(sent) };
  }
  const request = { jobId: action.start, message, keep: false };
  const started = await startJob(starting, caller, request, ['message'], again);
  if (started.result === 'OK') return { kind: 'woken', message, runId: started.runtimeid };
  const { problem, errormessage } = started;
  const reason = problem === undefined ? errormessage : storedReason(problem);
  return { kind: problem !== undefined && passing.has(problem.sentence) ? 'later' : 'refused', reason };
}

/** Why a job isn't started now that may not hold in an hour: a limit, the quota, or numbers that others use. */
const passing: ReadonlySet<Sentence['sentence']> = new Set([
  ...(['job_not_sent', 'job_pool_short', 'job_nobody_reached'] as const),
]);

/** The text of the alert, and what the saved job asks. */
async function withQuestion(
  { sending: { store } }: Starting,
  { userId, action }: Incident,
  text: string,
): Promise<string> {
  if ('send' in action) return text;
  const found = await store.read(findSavedJob, { userId, id: action.start });
  // The job answers whether it can be started at all.
  const question = found?.job.content.message ?? '';
  return [text, question].filter((one) => one !== '').join('\n');
}

interface Told extends Matter {
  readonly occasion: AlertOccasion;
  readonly first: ReceivedAlert;
  readonly count: number;
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
    // The number of alerts tells this text apart from earlier ones.
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
  if (caller === undefined) {
    // Nobody can be told, but nobody should be asked any longer either.
    if (occasion === 'resolved') await callOff(starting, incident);
    return { kind: 'refused', reason: storedReason({ sentence: 'starter_gone' }) };
  }
  const language = await languageOf(starting, incident);
  const message = textOf({ ...told, language });
  const again = repeatableAct(incident, key, clock.now());
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
    const idempotencyKey =
      steering.kind === 'tell' ? { ...again, key: `${again.key} ${String(steering.to)}` } : again;
    const steered = { incident, runId, by: byUser(caller), steering, idempotencyKey };
    if (!(await steerRun(starting, steered)))
      return tellAfterEnd(starting, caller, { ...told, message, again, name: key.replace(' ', '-') });
  }
  return { kind: 'woken', message };
}

async function languageOf(
  { sending: { store } }: Starting,
  { companyId, userId, action }: Incident,
): Promise<Language> {
  if ('send' in action) return store.read(findLanguage, companyId);
  const found = await store.read(findSavedJob, { userId, id: action.start });
  return found?.type?.settings.language ?? 'en';
}

/** Once somebody has taken care, nobody else is woken for more. */
function steeringsFor(occasion: AlertOccasion, text: string, isAcknowledged: boolean): readonly Steering[] {
  if (occasion === 'resolved') return [{ kind: 'cancel', text }];
  const assigned = { kind: 'tell', to: 'assigned', text } as const;
  return isAcknowledged ? [assigned] : [assigned, { kind: 'tell', to: 'silent', text }];
}

/** Calls off the run of an incident that is over, even if a node stopped before it kept the run. The run tells those who were asked. */
export async function callOff(starting: Starting, incident: Incident): Promise<void> {
  const runId = incident.runId ?? (await findBegun(starting, incident))?.runId;
  if (runId === undefined || incident.runEnded) return;
  const caller = await findCaller(starting.sending.store, incident.userId);
  const by = caller === undefined ? operator : byUser(caller);
  await steerRun(starting, { incident, runId, by, steering: { kind: 'cancel' } });
}

interface SteeredRun {
  readonly incident: Incident;
  readonly runId: number;
  readonly by: Actor;
  readonly steering: Steering;
  readonly idempotencyKey?: Repeatable;
}

/** False if the run has ended. */
async function steerRun(
  { sending: { store, clock } }: Starting,
  { incident: { companyId, userId, receiver }, runId, by, steering, idempotencyKey }: SteeredRun,
): Promise<boolean> {
  try {
    await steer(
      store,
      clock,
      { runId, owner: { companyId, userId }, by, name: receiver, idempotencyKey },
      steering,
    );
    return true;
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'run_ended' || error.code === 'not_found'))
      return false;
    throw error;
  }
}

interface AfterEnd {
  readonly incident: Incident;
  readonly occasion: AlertOccasion;
  readonly message: string;
  readonly again: Repeatable;
  /** The name of this text, unique within the run. */
  readonly name: string;
}

/** A run that has ended tells nobody anything, but those who were asked still wonder. */
async function tellAfterEnd(
  starting: Starting,
  caller: Caller,
  { incident: { runId, acknowledgedAt }, occasion, message, again, name }: AfterEnd,
): Promise<Woken> {
  const { sending } = starting;
  const woken = await sending.store.read(readWoken, { runId: runId ?? 0, owner: caller });
  // A supervisor who called it off has told them.
  if (woken === null || (woken.run.outcome === 'CANCELED' && occasion === 'resolved'))
    return { kind: 'woken', message };
  const { run, holders, silent } = woken;
  const isTaken = acknowledgedAt !== null && occasion === 'more';
  const people = isTaken ? holders : [...holders, ...silent];
  await mailAfterEnd(sending, run, people, { text: message, name });
  const to = people.flatMap(({ phone }) => phone ?? []);
  // Who may start jobs may tell those who were asked, as a run does.
  const payer = { ...caller, roles: new Set([...caller.roles, 'send' as const]) };
  return sendTo(starting, payer, { to, message, again });
}

interface FurtherText {
  readonly to: readonly string[];
  readonly message: string;
  readonly again: Repeatable;
}

async function sendTo(
  { sending }: Starting,
  caller: Caller,
  { to, message, again: repeatable }: FurtherText,
): Promise<Woken> {
  const request = { ...plainRequest, to, message, replacecharacters: true };
  if (to.length > 0) await send(sending, caller, request, undefined, { repeatable });
  return { kind: 'woken', message };
}

/** What may be gone in an hour: people have deleted opt-outs, or the quota has been raised. */
const passingToWake: ReadonlySet<string> = new Set([
  'quota_exceeded',
  'nothing_queued',
] satisfies ErrorCode[]);
const none: ReadonlySet<string> = new Set();

/** Faults of the call stay faults; whatever else goes wrong may go well later, as what has one of the `passing` codes. */
async function attempt(act: () => Promise<Woken>, passing = none): Promise<Woken> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, status, values, message, errors } = error;
    const [first] = errors;
    const reason = first?.values ?? values;
    const said = reason === undefined ? (first?.error ?? message) : storedReason(reason);
    const isPassing = status >= 500 || status === 429 || status === 408 || passing.has(code);
    return { kind: isPassing ? 'later' : 'refused', reason: said };
  }
}
