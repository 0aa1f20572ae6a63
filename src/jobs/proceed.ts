/**
 * Advances runs: reads them with their pending events, computes a step for each, and carries out its effects in one
 * transaction with the run's new state. If some people cannot be sent to, the step is computed again without them.
 */

import { type Caller, findCaller } from '../accounts/caller.ts';
import type { AuditEntry } from '../audit/audit-log.ts';
import { outgoingMailTopic } from '../email/outgoing/outgoing-mail.ts';
import { type ErrorCode, ServiceError } from '../foundation/errors.ts';
import type { Fault } from '../foundation/result.ts';
import { type Sentence, storedReason } from '../foundation/sentences.ts';
import type { Earlier, Idempotency } from '../messages/idempotency.ts';
import type { Acceptance, Accepted } from '../messages/sending/accept.ts';
import { plainRequest, type SendRequest } from '../messages/sending/parameters.ts';
import { type Sending, send } from '../messages/sending/send.ts';
import { finisher } from '../messages/sending/wording.ts';
import { webhookTopic } from '../webhooks/outbox/queue-job-events.ts';
import { type JobMail, type JobSending, jobMail, obstacleToMail } from './job-mail.ts';
import { keepMailsAfterEnd } from './mails-store.ts';
import { clearGoneRun } from './purge-runs.ts';
import { type ReadAnswers, readAnswers } from './read-answers.ts';
import { type Advanced, advance } from './run/advance.ts';
import { callbackOf } from './run/entry.ts';
import { maxMails } from './run/outgoing.ts';
import type { OutgoingText } from './run/progress.ts';
import type { Person, Run } from './run/run.ts';
import { tallyOf } from './run/tally.ts';
import type { Unsendable } from './run/unsendable.ts';
import { type KeptStep, keepStep, type StepKept } from './run-store.ts';
import { readRuns, type StoredRun } from './stored-runs.ts';

/**
 * Makes one step of each run; nothing happens if another step came first or there is nothing to do. `ended` reports the
 * end or failure of each step, so that none waits for another. Runs left unread because there are too many wait for the
 * next call.
 */
export async function proceed(
  sending: JobSending,
  ids: readonly number[],
  ended: (id: number, error?: unknown) => void,
): Promise<void> {
  const { store } = sending;
  const { runs, unread } = await store.read(readRuns, ids);
  const stored = new Map(runs.map((one) => [one.run.id, one]));
  const callers = new Map<number, Promise<Caller | undefined>>();
  for (const { userId } of runs.map(({ run }) => run))
    if (!callers.has(userId)) callers.set(userId, findCaller(store, userId));
  const step = async (id: number): Promise<unknown> => {
    const one = stored.get(id);
    if (one !== undefined) return keepAdvanced(sending, one, await callers.get(one.run.userId));
    return unread.includes(id) ? undefined : store.write(clearGoneRun, id);
  };
  const end = (id: number) =>
    step(id).then(
      () => ended(id),
      (error) => ended(id, error),
    );
  await Promise.all(ids.map(end));
}

export type Kept =
  | { readonly kind: 'kept'; readonly advanced: Advanced }
  | { readonly kind: 'moved' }
  /** Nothing was stored: the start is called off because of what cannot be sent. */
  | { readonly kind: 'refused'; readonly problem: Sentence }
  /** Nothing was stored: the same call started a run earlier. */
  | { readonly kind: 'earlier'; readonly earlier: Earlier };

/** The additional options of a step that starts a run. */
interface Beginning {
  /** Given who cannot be sent to, returns why the step should not be made at all; undefined if it should. */
  readonly refuse: (unsendable: Unsendable) => Sentence | undefined;
  /** The idempotency key of the call. */
  readonly claim: Idempotency | null;
  readonly audited: AuditEntry | null;
}

const goingOn: Beginning = { refuse: () => undefined, claim: null, audited: null };

/** `caller` is the account that started the run, in its current state; undefined if it no longer exists. */
export async function keepAdvanced(
  sending: JobSending,
  stored: StoredRun,
  caller: Caller | undefined,
  { refuse, claim, audited }: Beginning = goingOn,
): Promise<Kept> {
  const now = sending.clock.now();
  const { events, ...answered } = readAnswers(stored);
  const happened = [...stored.events, ...events].sort((a, b) => a.at - b.at);
  const news = { happened, hasMore: stored.hasMore };
  const phones = new Map<string, string>();
  const codes = new Map<string, number>();
  const known = { phones, codes, ...obstacleToMail(sending) };
  let unsendable: Unsendable =
    caller === undefined ? { ...known, all: storedReason({ sentence: 'starter_gone' }) } : known;
  for (;;) {
    const advanced = advance(stored, news, now, unsendable);
    const toPeople = advanced.texts.map((text) => ({ ...text, person: advanced.people[text.place] }));
    const mails = mailsOf(sending, advanced.run, stored.version, toPeople, now);
    const step = { ...stepOf(stored, advanced, now), ...answered, mails, claim, audited };
    const texts = advanced.texts.filter((text): text is SmsText => text.phone !== null);
    const result = await keepSending(sending, caller, step, texts, codes);
    if (result.kind === 'moved' || result.kind === 'earlier') return result;
    if (result.kind === 'kept') {
      if (step.callbacks.length > 0) sending.store.announce(webhookTopic);
      if (mails.length > 0) sending.store.announce(outgoingMailTopic);
      return { kind: 'kept', advanced };
    }
    if (result.kind === 'held') {
      const { why, until } = result;
      const atMost = Math.floor(texts.length / 2);
      unsendable = { ...known, held: { why, until, atMost } };
    } else noteUnsendable(result, phones, codes);
    const problem = refuse(result.kind === 'held' ? { ...known, all: result.why } : unsendable);
    if (problem !== undefined) return { kind: 'refused', problem };
  }
}

/**
 * A phone that can be reached with a code gets that code; if the same code was not enough before, the phone cannot be sent
 * to.
 */
function noteUnsendable(
  { phones: wrong, why, codes: wanted }: UnsendablePhones,
  phones: Map<string, string>,
  codes: Map<string, number>,
): void {
  for (const phone of wrong) {
    const code = wanted.get(phone);
    if (code === undefined || code === codes.get(phone)) phones.set(phone, why);
    else codes.set(phone, code);
  }
}

function stepOf(
  stored: StoredRun,
  advanced: Advanced,
  now: number,
): Omit<KeptStep, keyof Omit<ReadAnswers, 'events'> | 'mails' | 'claim' | 'audited'> {
  const { run, people, entries, withdraw, awaitUntil } = advanced;
  const isNew = stored.version === 0;
  const asked = () => people.flatMap(({ phone, state }) => (state === 'waiting' ? [] : (phone ?? [])));
  return {
    run,
    now,
    version: stored.version,
    dueAt: advanced.dueAt,
    people: isNew
      ? people
      : people.filter((person, place) => !isSame(person, stored.people[place] as Person)),
    tally: tallyOf(advanced),
    entries,
    callbacks: entries.flatMap((entry) => callbackOf(run, people, entry) ?? []),
    events: stored.events.map(({ name }) => name),
    answers: stored.answers,
    withdraw,
    mailed: withdraw.filter((place) => people[place]?.phone === null),
    leases: awaitUntil === undefined ? null : { phones: asked(), endsAt: awaitUntil },
    acceptance: null,
    sentTo: [],
  };
}

/** A person to whom something is merely sent counts as unchanged. */
function isSame(after: Person, before: Person): boolean {
  if (after === before) return true;
  return (Object.keys(after) as (keyof Person)[]).every((key) => after[key] === before[key]);
}

interface SmsText extends OutgoingText {
  readonly phone: string;
}

/** The texts of a step, or of what is told after the end, for people without a phone. */
function mailsOf(
  { mail }: JobSending,
  run: Run,
  step: number | string,
  texts: readonly {
    readonly person: Person | undefined;
    readonly text: string;
    readonly isQuestion: boolean;
  }[],
  now: number,
): readonly JobMail[] {
  if (mail === undefined) return [];
  return texts.flatMap(({ person, text, isQuestion }) => {
    if (person?.phone !== null || person.email === undefined) return [];
    const { place, name, email } = person;
    return jobMail(mail, run, { person: { place, name, email }, text, isQuestion, step }, now);
  });
}

interface TextAfterEnd {
  readonly text: string;
  /** Unique within the run: under the same name, each person gets one e-mail. */
  readonly name: string;
}

/** Tells those of them who have no phone, by e-mail, how the matter of an ended run goes on. */
export async function mailAfterEnd(
  sending: JobSending,
  run: Run,
  people: readonly Person[],
  { text, name }: TextAfterEnd,
): Promise<void> {
  const { store, clock } = sending;
  const now = clock.now();
  const texts = people.map((person) => ({ person, text, isQuestion: false }));
  const mails = mailsOf(sending, run, name, texts, now);
  for (let from = 0; from < mails.length; from += maxMails)
    await store.write(keepMailsAfterEnd, { run, mails: mails.slice(from, from + maxMails), now });
  if (mails.length > 0) store.announce(outgoingMailTopic);
}

type Attempt =
  | { readonly kind: 'kept' }
  | { readonly kind: 'moved' }
  | Extract<Kept, { kind: 'earlier' }>
  /** Nothing was stored: these phones cannot be sent to. */
  | UnsendablePhones
  /** Nothing was stored: not all texts can be sent now; fewer texts, or a later time, may work. */
  | { readonly kind: 'held'; readonly why: string; readonly until: number };

interface UnsendablePhones {
  readonly kind: 'unsendable';
  readonly phones: readonly string[];
  readonly why: string;
  /** The codes that texts to some phones must include to be sent. */
  readonly codes: ReadonlyMap<string, number>;
}

const minuteMs = 60_000;
const maxValidityMinutes = 10_080;
/** A placeholder for each person's own text, if the texts differ. */
const ownText = 'TEXT';

async function keepSending(
  { store, ...sending }: Sending,
  caller: Caller | undefined,
  step: KeptStep,
  texts: readonly SmsText[],
  codes: ReadonlyMap<string, number>,
): Promise<Attempt> {
  if (texts.length === 0 || caller === undefined) {
    return withoutSending(await store.write(keepStep, step)) ?? { kind: 'kept' };
  }
  const { run, now } = step;
  const isOver = run.phase === 'ended';
  const minutes = isOver ? maxValidityMinutes / 7 : Math.ceil(((run.expiryAt as number) - now) / minuteMs);
  let outcome: StepKept | undefined;
  const accept = async (acceptance: Acceptance): Promise<Accepted> => {
    const sentTo = texts.map(({ place, isQuestion }) => ({ place, isQuestion }));
    const jobUntil = isOver ? now : (run.expiryAt as number);
    outcome = await store.write(keepStep, {
      ...step,
      sentTo,
      acceptance: { ...acceptance, listened: true, jobUntil, codes },
    });
    const ended = withoutSending(outcome);
    if (ended !== undefined) throw new NothingSent(ended);
    return outcome as Accepted;
  };
  try {
    const payer = { ...caller, roles: new Set([...caller.roles, 'send' as const]) };
    const validminutes = Math.min(Math.max(minutes, 1), maxValidityMinutes);
    const request = {
      ...runRequest,
      ...recipientsOf(texts),
      validminutes,
      conversation: String(run.id),
      category: run.settings.category,
    };
    await send({ store, ...sending }, payer, request, undefined, { wholeOnly: true, accept });
    return { kind: 'kept' };
  } catch (error) {
    if (error instanceof NothingSent) return error.why;
    const wanted = outcome?.kind === 'noPoolNumber' ? outcome.codes : new Map();
    return obstacleIn(error, texts, now, wanted);
  }
}

class NothingSent extends Error {
  readonly why: Attempt;

  constructor(why: Attempt) {
    super();
    this.why = why;
  }
}

/** Undefined if sending is done or impossible. */
function withoutSending(kept: StepKept): Extract<Attempt, { kind: 'moved' | 'earlier' }> | undefined {
  if (kept.kind === 'moved') return { kind: 'moved' };
  const isEarlier = kept.kind === 'repeated' || kept.kind === 'idempotencyMismatch';
  return isEarlier ? { kind: 'earlier', earlier: kept } : undefined;
}

function recipientsOf(texts: readonly SmsText[]) {
  const [first] = texts;
  if (texts.every(({ text }) => text === first?.text))
    return { to: texts.map(({ phone }) => phone), tosubst: [], message: first?.text };
  return {
    to: [],
    tosubst: texts.map(({ phone, text }) => ({ to: phone, subst: { [ownText]: text } })),
    message: ownText,
  };
}

/** Errors caused by an account, a number or a text, not by the service. */
const ofCall: ReadonlySet<ErrorCode> = new Set([
  ...(['nothing_queued', 'quota_exceeded', 'rate_exceeded', 'too_many_parts', 'text_too_long'] as const),
  ...(['no_text', 'invalid_value'] as const),
]);

/** Why the job's call cannot be made; throws service errors. */
export function faultOfCall(error: unknown): ServiceError {
  if (!(error instanceof ServiceError) || !ofCall.has(error.code)) throw error;
  return error;
}

/** After this time, a used-up quota or an exceeded limit is checked again. */
const retryMs = minuteMs;

function obstacleIn(
  error: unknown,
  texts: readonly SmsText[],
  now: number,
  codes: ReadonlyMap<string, number>,
): Attempt {
  const { code: reason, errors, headers } = faultOfCall(error);
  const ofFields = errors.flatMap(({ field }) => texts[Number(/\[([0-9]+)\]/.exec(field)?.[1])]?.phone ?? []);
  const ofTexts = texts.filter(({ text }) => reasonAgainst(text) !== undefined).map(({ phone }) => phone);
  const phones = ofFields.length > 0 ? ofFields : ofTexts;
  const reasons = new Set(errors.map(({ code }) => code));
  const why = [...reasons].join(', ') || reason;
  if (phones.length > 0) return { kind: 'unsendable', phones, why, codes };
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return { kind: 'held', why, until: now + (seconds > 0 ? 1_000 * seconds : retryMs) };
}

/** The request fields common to every call by which a run sends. */
export const runRequest: SendRequest = { ...plainRequest, replacecharacters: true, twoway: true };

/** Why a text that has not been checked before cannot be sent at all; undefined if it can. */
export function reasonAgainst(text: string): Fault | undefined {
  const finished = finisher(
    { flash: false, replacing: false },
    { stepsLeft: Number.POSITIVE_INFINITY },
  )(text);
  return finished.ok ? undefined : finished;
}
