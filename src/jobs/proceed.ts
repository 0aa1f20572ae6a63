/**
 * Brings runs on: reads them with what has happened to them, works out a step of each, and carries out its effects in one
 * transaction with the run as it becomes. Where somebody can't be sent to, the step is worked out again without that.
 */
import { type Caller, findCaller } from '../accounts/caller.ts';
import { outgoingMailTopic } from '../email/outgoing/outgoing-mail.ts';
import { type ErrorCode, ServiceError } from '../foundation/errors.ts';
import type { Fault } from '../foundation/result.ts';
import type { Earlier, Idempotency } from '../messages/idempotency.ts';
import type { Acceptance, Accepted } from '../messages/sending/accept.ts';
import { plainRequest, type SendRequest } from '../messages/sending/parameters.ts';
import { type Sending, send } from '../messages/sending/send.ts';
import { finisher } from '../messages/sending/wording.ts';
import { webhookTopic } from '../webhooks/outbox/queue-job-events.ts';
import { type JobMail, type JobSending, jobMail, obstacleToMail } from './job-mail.ts';
import { clearGoneRun } from './purge-runs.ts';
import { type ReadAnswers, readAnswers } from './read-answers.ts';
import { type Advanced, advance } from './run/advance.ts';
import { callbackOf } from './run/entry.ts';
import type { OutgoingText } from './run/progress.ts';
import type { Person } from './run/run.ts';
import type { Unsendable } from './run/unsendable.ts';
import { type KeptStep, keepStep, type StepKept } from './run-store.ts';
import { readRuns, type StoredRun } from './stored-runs.ts';

/**
 * A step of each run; nothing happens where another step came before, or there is nothing to do. Each is told as it ends,
 * or why it did not: none waits for another, and those that are not read because there are too many are for the next time.
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
  /** Nothing was stored: a start is not worth it for what can't be sent. */
  | { readonly kind: 'refused'; readonly sentence: string }
  /** Nor was it: the same call has started a run before. */
  | { readonly kind: 'earlier'; readonly earlier: Earlier };

/** What a step that starts a run has besides. */
interface Beginning {
  /** Says why it is not to be done at all when some can't be sent to. */
  readonly refuse: (unsendable: Unsendable) => string | undefined;
  /** The key of a call that may be repeated. */
  readonly claim: Idempotency | null;
}

const goingOn: Beginning = { refuse: () => undefined, claim: null };

/** `caller`: who has started it, as the account is now; undefined: it is gone. */
export async function keepAdvanced(
  sending: JobSending,
  stored: StoredRun,
  caller: Caller | undefined,
  { refuse, claim }: Beginning = goingOn,
): Promise<Kept> {
  const now = sending.clock.now();
  const { events, ...answered } = readAnswers(stored);
  const happened = [...stored.events, ...events].sort((a, b) => a.at - b.at);
  const news = { happened, hasMore: stored.hasMore };
  const phones = new Map<string, string>();
  const codes = new Map<string, number>();
  const known = { phones, codes, ...obstacleToMail(sending) };
  let unsendable: Unsendable =
    caller === undefined ? { ...known, all: 'the account that started it is gone' } : known;
  for (;;) {
    const advanced = advance(stored, news, now, unsendable);
    const mails = mailsOf(sending, stored, advanced, now);
    const step = { ...stepOf(stored, advanced, now), ...answered, mails, claim };
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
    const sentence = refuse(result.kind === 'held' ? { ...known, all: result.why } : unsendable);
    if (sentence !== undefined) return { kind: 'refused', sentence };
  }
}

/** A phone that can be sent to under a code gets the code; one for which the same code was not enough can't be. */
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
): Omit<KeptStep, keyof Omit<ReadAnswers, 'events'> | 'mails' | 'claim'> {
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

/** Somebody who was only sent something is as before. */
function isSame(after: Person, before: Person): boolean {
  if (after === before) return true;
  return (Object.keys(after) as (keyof Person)[]).every((key) => after[key] === before[key]);
}

interface SmsText extends OutgoingText {
  readonly phone: string;
}

/** The texts to those who have no phone. */
function mailsOf(
  { mail }: JobSending,
  { version }: StoredRun,
  { run, people, texts }: Advanced,
  now: number,
): readonly JobMail[] {
  if (mail === undefined) return [];
  return texts.flatMap(({ place, phone, text, isQuestion }) => {
    const { name = '', email } = people[place] ?? {};
    if (phone !== null || email === undefined) return [];
    return jobMail(mail, run, { person: { place, name, email }, text, isQuestion, step: version }, now);
  });
}

type Attempt =
  | { readonly kind: 'kept' }
  | { readonly kind: 'moved' }
  | Extract<Kept, { kind: 'earlier' }>
  /** Nothing was stored: these phones can't be sent to. */
  | UnsendablePhones
  /** Nor can it be sent now, all of it: fewer texts perhaps, or later. */
  | { readonly kind: 'held'; readonly why: string; readonly until: number };

interface UnsendablePhones {
  readonly kind: 'unsendable';
  readonly phones: readonly string[];
  readonly why: string;
  /** What texts to some of them have to name so that they can be sent to. */
  readonly codes: ReadonlyMap<string, number>;
}

const minuteMs = 60_000;
const maxValidityMinutes = 10_080;
/** Stands for the text of each, where they are not the same for all. */
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
    const request = { ...runRequest, ...recipientsOf(texts), validminutes, conversation: String(run.id) };
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

/** Undefined: it is done, or can't be. */
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

/** What is no fault of the service, but of an account, a number or a text. */
const ofCall: ReadonlySet<ErrorCode> = new Set([
  ...(['nothing_queued', 'quota_exceeded', 'rate_exceeded', 'too_many_parts', 'text_too_long'] as const),
  ...(['no_text', 'invalid_value'] as const),
]);

/** Why a call of the job can't be made; what is a fault of the service is thrown. */
export function faultOfCall(error: unknown): ServiceError {
  if (!(error instanceof ServiceError) || !ofCall.has(error.code)) throw error;
  return error;
}

/** A quota that is used up, and a limit that less would have exceeded, are looked at again after this time. */
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

/** What is the same in every call by which a run sends. */
export const runRequest: SendRequest = { ...plainRequest, replacecharacters: true, twoway: true };

/** Why a text can't be sent at all, which nobody has judged before; undefined: it can. */
export function reasonAgainst(text: string): Fault | undefined {
  const finished = finisher(
    { flash: false, replacing: false },
    { stepsLeft: Number.POSITIVE_INFINITY },
  )(text);
  return finished.ok ? undefined : finished;
}
