/**
 * For a carrier that calls nobody: asks it what became of each message, and which SMS from phones it has.
 *
 *   awaits ──▶ asked, with growing pauses ──a final state, or three days──▶ forgotten
 *
 * A node asks about the messages that it has sent; only one of several nodes asks for SMS from phones.
 */
import { type Clock, timeIn } from '../../foundation/clock.ts';
import { LinkedMap } from '../../foundation/linked-map.ts';
import { lruCache } from '../../foundation/lru-cache.ts';
import { type NextPass, WokenLoop } from '../../foundation/woken-loop.ts';
import { Backoff } from '../backoff.ts';
import type { CarrierEvents } from '../carrier.ts';
import type { Exchange, HttpAnswer, HttpRequest } from './exchange.ts';
import { Reading } from './reading.ts';
import { itemsOf, readIncoming, readReceipt } from './reports.ts';
import { requestOf } from './request.ts';
import type { HttpDeclaration, IncomingSettings, ReceiptSettings } from './settings.ts';
import type { Values } from './template.ts';

/** A message that the carrier took. */
export interface PolledMessage {
  readonly carrierMessageId: string;
  /** Our id; unknown for messages that were sent before a restart. */
  readonly messageId?: number;
}

export interface PollingOptions {
  readonly declaration: Pick<HttpDeclaration, 'receipts' | 'incoming'>;
  /** The values of placeholders that do not depend on a message. */
  readonly fixed: Values;
  readonly ask: (request: HttpRequest) => Promise<Exchange>;
  readonly events: Pick<CarrierEvents, 'receipts' | 'unreadableReceipt' | 'incoming'>;
  /** Whether this node is the one that asks for SMS from phones. */
  readonly asksForIncoming: () => Promise<boolean>;
  readonly clock: Clock;
}

const standardEveryMs = 10_000;
const longestPauseMs = 3_600_000;
/** A carrier that knows what became of a message says so within this time. */
const patienceMs = 3 * 86_400_000;
/** So many messages are remembered; those beyond are found in the store after a restart. */
const maxRemembered = 20_000;
const maxAtATime = 8;
/** How many questions there may be at a time, that for SMS from phones included. */
export const maxQuestions = maxAtATime + 1;
/** What was left out could be listed for the last time: only the length of an answer is limited. */
const maxListed = Number.POSITIVE_INFINITY;
/** SMS that were stored and that the carrier still lists. */
const maxKnownIds = 10_000;
/** When there was something new, there may be more. */
const againMs = 1_000;
/** The status of each message that the carrier took (API: Message status). */
const sent = 1;
/** SENT, ACCEPTED, UNKNOWN: another status may follow. */
const passing: ReadonlySet<number> = new Set([sent, 7, 12]);

/** Answers that may mean only the one message or SMS that was named. */
const refusesOne: ReadonlySet<number> = new Set([400, 403, 422]);
/** As a piece of an address, such an id would name what is above it (RFC 3986, section 5.2.4). */
const dotSegments: ReadonlySet<string | undefined> = new Set(['.', '..']);

export class Polling {
  readonly #loops: readonly WokenLoop[];
  readonly #receipts: ReceiptPolling | undefined;
  /** Why the latest question of each loop failed. */
  readonly #faults = new Map<object, string>();

  constructor(options: PollingOptions) {
    const { receipts, incoming } = options.declaration;
    this.#receipts = receipts?.poll && new ReceiptPolling(options, receipts, receipts.poll);
    const polled = incoming?.poll && new IncomingPolling(options, incoming, incoming.poll);
    this.#loops = [
      ...(this.#receipts === undefined ? [] : [this.#loop(receipts?.poll?.everyMs, this.#receipts)]),
      ...(polled === undefined ? [] : [this.#loop(incoming?.poll?.everyMs, polled)]),
    ];
  }

  /** Why a latest question failed; undefined if none did. */
  get fault(): string | undefined {
    return [...this.#faults.values()][0];
  }

  start(): void {
    for (const loop of this.#loops) loop.start();
  }

  awaits(message: PolledMessage): void {
    this.#receipts?.add(message);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()));
  }

  #loop(everyMs = standardEveryMs, asking: { pass(signal: AbortSignal): Promise<Passed> }): WokenLoop {
    const backoff = new Backoff(everyMs, longestPauseMs);
    const failed = () => undefined;
    return new WokenLoop({ pauseMs: everyMs, failed }, async (signal) => {
      try {
        const next = await asking.pass(signal);
        if (next.fault === undefined) this.#faults.delete(asking);
        else this.#faults.set(asking, next.fault);
        backoff.reset();
        return next;
      } catch (error) {
        this.#faults.set(asking, (error as Error).message);
        return { pauseMs: backoff.next() };
      }
    });
  }
}

interface Passed extends NextPass {
  /** What is wrong although the carrier answered. */
  readonly fault?: string;
}

interface Awaited {
  readonly messageId: number | undefined;
  readonly until: number;
  /** When to ask next. */
  dueAt: number;
  /** The latest status that was reported; `unreadable` if the operator was shown that it can't be read. */
  latest: number | 'unreadable';
}

class ReceiptPolling {
  readonly #options: PollingOptions;
  readonly #settings: ReceiptSettings;
  readonly #poll: NonNullable<ReceiptSettings['poll']>;
  readonly #pauses: readonly number[];
  /** For each pause, the messages that wait for it, by the carrier's ids: the first is due first. */
  readonly #lines: readonly LinkedMap<string, Awaited>[];
  /** Set while the latest question was refused, or one of the latest failed. */
  #refusal: string | undefined;

  constructor(
    options: PollingOptions,
    settings: ReceiptSettings,
    poll: NonNullable<ReceiptSettings['poll']>,
  ) {
    this.#options = options;
    this.#settings = settings;
    this.#poll = poll;
    const pauses = [poll.everyMs ?? standardEveryMs];
    while ((pauses.at(-1) as number) < longestPauseMs)
      pauses.push(Math.min(longestPauseMs, 2 * (pauses.at(-1) as number)));
    this.#pauses = pauses;
    this.#lines = pauses.map(() => new LinkedMap());
  }

  add({ carrierMessageId, messageId }: PolledMessage): void {
    const size = this.#lines.reduce((sum, line) => sum + line.size, 0);
    if (size >= maxRemembered || dotSegments.has(carrierMessageId)) return;
    const { clock } = this.#options;
    this.#put(0, carrierMessageId, { messageId, until: timeIn(clock, patienceMs), dueAt: 0, latest: sent });
  }

  readonly pass = async (signal: AbortSignal): Promise<Passed> => {
    for (let level = 0; level < this.#lines.length; level += 1) {
      for (;;) {
        const due = this.#takeDue(level);
        if (due.length === 0) break;
        const asked = await Promise.allSettled(due.map(([id, awaited]) => this.#ask(id, awaited)));
        const failures: unknown[] = [];
        for (const [index, [id, awaited]] of due.entries()) {
          const result = asked[index] as PromiseSettledResult<boolean>;
          if (result.status === 'rejected') {
            failures.push(result.reason);
            // A message that the carrier fails at each time is asked about less and less often, as others are.
            this.#put(result.reason instanceof FailedAnswer ? level + 1 : level, id, awaited);
          } else if (!result.value) this.#put(level + 1, id, awaited);
        }
        // What goes wrong with all of them concerns the carrier: the pause is that of the whole.
        const [first] = failures;
        const grave = failures.find((failure) => !(failure instanceof FailedAnswer));
        if (first instanceof FailedAnswer) this.#refusal = first.message;
        if (grave !== undefined || failures.length === due.length) throw grave ?? first;
        if (signal.aborted) return { pauseMs: 0 };
      }
    }
    return {
      pauseMs: Math.min(againMs, this.#pauses[0] as number),
      ...(this.#refusal !== undefined && { fault: this.#refusal }),
    };
  };

  #takeDue(level: number): readonly (readonly [string, Awaited])[] {
    const line = this.#lines[level] as LinkedMap<string, Awaited>;
    const now = this.#options.clock.now();
    const due: (readonly [string, Awaited])[] = [];
    for (let first = line.first; first !== undefined && due.length < maxAtATime; first = line.first) {
      if (first[1].dueAt > now) break;
      line.delete(first[0]);
      if (first[1].until > now) due.push(first);
    }
    return due;
  }

  #put(level: number, id: string, awaited: Awaited): void {
    const last = Math.min(level, this.#lines.length - 1);
    awaited.dueAt = timeIn(this.#options.clock, this.#pauses[last] as number);
    this.#lines[last]?.set(id, awaited);
  }

  /** True if nothing more is to be asked about the message. */
  async #ask(carrierId: string, awaited: Awaited): Promise<boolean> {
    const { fixed, ask, events } = this.#options;
    const { messageId } = awaited;
    const own = messageId === undefined ? {} : { id: String(messageId) };
    const result = await ask(requestOf(this.#poll, { ...fixed, ...own, carrierId }));
    this.#refusal = refusalOf(result);
    if (this.#refusal !== undefined) return false;
    const answer = answered(result);
    // The carrier may not know the message yet, or no more.
    if (answer === undefined) return false;
    const { state = this.#settings.state, error = this.#settings.error } = this.#poll;
    const settings = { ...this.#settings, state, ...(error !== undefined && { error }) };
    const items = itemsOf(settings, Reading.of(answer), maxListed) ?? [];
    const item = items.find((one) => [undefined, carrierId].includes(one.at(settings.id)));
    if (item === undefined) return false;
    const read = readReceipt(settings, item, carrierId);
    // A carrier that knows no state yet will know one later.
    if (read.kind === 'nothing') return false;
    const latest = read.kind === 'receipt' ? read.receipt.status : 'unreadable';
    if (latest !== awaited.latest) {
      if (read.kind === 'receipt') await events.receipts([read.receipt]);
      else await events.unreadableReceipt(read.receipt);
    }
    awaited.latest = latest;
    return latest !== 'unreadable' && !passing.has(latest);
  }
}

class IncomingPolling {
  readonly #options: PollingOptions;
  readonly #settings: IncomingSettings;
  readonly #poll: NonNullable<IncomingSettings['poll']>;
  readonly #stored = lruCache<string, true>(maxKnownIds);

  constructor(
    options: PollingOptions,
    settings: IncomingSettings,
    poll: NonNullable<IncomingSettings['poll']>,
  ) {
    this.#options = options;
    this.#settings = settings;
    this.#poll = poll;
  }

  readonly pass = async (signal: AbortSignal): Promise<Passed> => {
    const { fixed, ask, events, asksForIncoming } = this.#options;
    const { acknowledge, everyMs = standardEveryMs } = this.#poll;
    if (!(await asksForIncoming())) return { pauseMs: everyMs };
    const answer = answered(await ask(requestOf(this.#poll, fixed)));
    const items = (answer && itemsOf(this.#settings, Reading.of(answer), maxListed)) ?? [];
    let news = 0;
    let unread = 0;
    let refusal: string | undefined;
    for (const item of items) {
      const read = readIncoming(this.#settings, item);
      // One that could not be acknowledged would come again and again: it stays with the carrier, and the operator is told.
      const isUnnamed = read?.id === undefined || dotSegments.has(read.id);
      if (read === undefined || (acknowledge !== undefined && isUnnamed)) {
        unread += 1;
        continue;
      }
      // What is listed only once is stored to its end.
      if (acknowledge !== undefined && (signal.aborted || !(await asksForIncoming()))) break;
      if (read.id === undefined || !this.#stored.has(read.id)) {
        await events.incoming(read.sms);
        news += 1;
        if (read.id !== undefined) this.#stored.set(read.id, true);
      }
      if (acknowledge === undefined || read.id === undefined) continue;
      const values = { ...fixed, incomingId: read.id };
      const result = await ask(requestOf({ method: 'DELETE', ...acknowledge }, values));
      const refused = refusalOf(result);
      if (refused === undefined) answered(result);
      else refusal = refused;
    }
    return {
      pauseMs: news > 0 ? Math.min(againMs, everyMs) : everyMs,
      ...(refusal !== undefined && { fault: refusal }),
      ...(unread > 0 && { fault: `${unread} of the SMS that it lists cannot be read` }),
    };
  };
}

/** Answers about the login, the rate or the carrier itself (RFC 9110, section 15; RFC 6585, section 4). */
const ofAll: ReadonlySet<number> = new Set([401, 407, 408, 425, 429, 502, 503, 504]);

/** The carrier answered with an error that may be that of one message. */
class FailedAnswer extends Error {}

/** Other messages are asked about all the same. */
function refusalOf(result: Exchange): string | undefined {
  return result.kind === 'answered' && refusesOne.has(result.status)
    ? `the carrier answered ${result.status}`
    : undefined;
}

/** Undefined if the carrier does not know what it was asked about; throws if it gave no usable answer. */
function answered(result: Exchange): HttpAnswer | undefined {
  if (result.kind !== 'answered') throw result.error;
  if (result.status >= 200 && result.status < 300) return result;
  if (result.status === 404 || result.status === 410) return undefined;
  const message = `the carrier answered ${result.status}`;
  throw ofAll.has(result.status) ? new Error(message) : new FailedAnswer(message);
}
