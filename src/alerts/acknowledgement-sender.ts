/**
 * Tells sources of alerts that somebody has taken care. Any node sends what it has claimed, one at a time for each receiver; a
 * source that can't be reached is tried as seldom as a webhook's receiver.
 *
 *   waiting ──claimed──▶ under way ──taken──────────▶ done
 *      ▲                    ├────────refused, a day──▶ failed
 *      └──due again─────────┘ no answer, or one that may pass
 *
 * A crash leaves a claim that runs out. A silence that may have been made by an earlier try is looked for before it is made again.
 */

import { quoted } from '../foundation/result.ts';
import { storedReason } from '../foundation/sentences.ts';
import type { OutboxNode } from '../outbox/outbox.ts';
import { Sender } from '../outbox/sender.ts';
import { isTaken } from '../webhooks/attempt-counts.ts';
import type { Posted, Poster } from '../webhooks/posting/post.ts';
import { giveUpAfterMs, postBackoff } from '../webhooks/sending/post-queue.ts';
import {
  type AcknowledgementOutcome,
  type ClaimedAcknowledgement,
  claimAcknowledgements,
  nextAcknowledgementAt,
  recordAcknowledgement,
} from './acknowledgement-store.ts';
import type { AcknowledgeSettings } from './receiver.ts';

interface AcknowledgementNode extends Omit<OutboxNode, 'nodeId'> {
  readonly poster: Pick<Poster, 'call'>;
  /** Undefined if the secret was sealed under another server secret. */
  readonly openSecret: (sealed: string, url: string, field: 'token' | 'password') => string | undefined;
}

/** So that a few sources that never answer hold up no other. */
const maxReceivers = 16;
const page = 10;
/** Longer than all claimed at a time take, two calls each, of ten seconds. */
const claimMs = 5 * 60_000;
const pollMs = 5_000;
const stopMs = 3_000;
/** The most that is read of a list of silences, or of an answer of JSON-RPC: cut JSON can't be parsed. */
const maxListBytes = 1_000_000;
const maxResult = 200;
const userAgent = 'Carillon-Alerts/1';

export class AcknowledgementSender {
  readonly #node: AcknowledgementNode;
  readonly #sender: Sender;
  /** What is claimed, by receiver. */
  readonly #claimed = new Map<number, ClaimedAcknowledgement[]>();
  readonly #underWay = new Set<number>();
  #readAt = 0;
  #isReading = false;

  constructor(node: AcknowledgementNode) {
    const { clock, log } = node;
    this.#node = node;
    this.#sender = new Sender({
      clock,
      stopMs,
      // Any node may, since each sends only what it has claimed.
      mayDeliver: () => true,
      next: (now) => this.#next(now),
      dueAt: () => this.#readAt,
      setBack: () => {
        this.#readAt = 0;
      },
      failed: (error) => log.warn({ error }, 'acknowledgements for sources of alerts wait for the store'),
    });
  }

  /** Signals that acknowledgements may have been queued. */
  wake(): void {
    this.#readAt = 0;
    this.#sender.wake();
  }

  stop(): Promise<void> {
    return this.#sender.stop();
  }

  #next(now: number): Promise<void> | undefined {
    const free = [...this.#claimed.keys()].find((receiverId) => !this.#underWay.has(receiverId));
    if (free !== undefined) return this.#deliver(free);
    const isRoom = this.#underWay.size < maxReceivers && !this.#isReading;
    return isRoom && now >= this.#readAt ? this.#claim(now) : undefined;
  }

  async #claim(now: number): Promise<void> {
    const { store } = this.#node;
    this.#isReading = true;
    this.#readAt = now + pollMs;
    try {
      const dueAt = await store.read(nextAcknowledgementAt, null);
      if (dueAt === null || dueAt > now) return;
      const busy = [...this.#underWay];
      const rows = await store.write(claimAcknowledgements, { now, until: now + claimMs, busy, limit: page });
      if (rows.length === page) this.#readAt = 0;
      for (const row of rows)
        this.#claimed.set(row.receiverId, [...(this.#claimed.get(row.receiverId) ?? []), row]);
    } finally {
      this.#isReading = false;
    }
  }

  /** Sends what is claimed for a receiver, until a try says that its source is away. */
  async #deliver(receiverId: number): Promise<void> {
    const rows = this.#claimed.get(receiverId) ?? [];
    this.#claimed.delete(receiverId);
    this.#underWay.add(receiverId);
    try {
      for (const [place, row] of rows.entries()) {
        if (this.#sender.isStopped) return;
        const later = rows.slice(place + 1).map(({ id }) => id);
        const outcome = await this.#try(row, later);
        if (this.#sender.isOver) return;
        await this.#sender.persistently(() => this.#node.store.write(recordAcknowledgement, outcome));
        this.#tell(row, outcome);
        if (outcome.putOff.length > 0) return;
      }
    } finally {
      this.#underWay.delete(receiverId);
    }
  }

  async #try(row: ClaimedAcknowledgement, later: readonly number[]): Promise<AcknowledgementOutcome> {
    const { clock, chance } = this.#node;
    const answer = await this.#ask(row);
    const now = clock.now();
    const ended = { id: row.id, now, dueAt: now, putOff: [] as readonly number[] };
    if (answer.outcome === 'taken')
      return { ...ended, state: 'done', result: answer.result.slice(0, maxResult), reason: null };
    const { why } = answer;
    if (answer.outcome === 'refused') return { ...ended, state: 'failed', result: null, reason: why };
    if (now - row.createdAt >= giveUpAfterMs) {
      const hours = giveUpAfterMs / 3_600_000;
      const reason = storedReason({ sentence: 'mail_given_up', hours, why });
      return { ...ended, state: 'failed', result: null, reason };
    }
    const dueAt = now + postBackoff.pauseMs(row.attempts, chance(), answer.askedMs);
    return {
      ...ended,
      state: 'waiting',
      dueAt,
      putOff: answer.isOfAll ? later : [],
      result: null,
      reason: why,
    };
  }

  async #ask({ target, request, attempts }: ClaimedAcknowledgement): Promise<Answer> {
    if (target === null) return refused(storedReason({ sentence: 'source_unset' }));
    const login = this.#loginOf(target);
    if (login === undefined) return refused(storedReason({ sentence: 'source_secret' }));
    const { token, header } = login;
    const headers = { 'content-type': 'application/json', 'user-agent': userAgent, ...header };
    const { poster } = this.#node;
    const base = target.url.endsWith('/') && request.path !== '' ? target.url.slice(0, -1) : target.url;
    const call = (rest: Omit<Parameters<Poster['call']>[0], 'url' | 'headers'>, path: string) =>
      this.#sender.persistently(() => poster.call({ ...rest, url: base + path, headers }));
    if (request.made !== undefined && attempts > 1) {
      const { path, comment } = request.made;
      const listed = await call({ method: 'GET', keptBytes: maxListBytes }, path);
      // A source that lists nothing to us may still take a silence.
      if (isAway(listed)) return answerOf(listed, false);
      const id = isTaken(listed.status) ? silenceIn(listed.answer, comment) : undefined;
      if (id !== undefined) return { outcome: 'taken', result: id };
    }
    const isRpc = request.isRpc === true;
    const keptBytes = isRpc ? maxListBytes : maxResult;
    const post = async (body: object) =>
      answerOf(await call({ method: 'POST', body: JSON.stringify(body), keptBytes }, request.path), isRpc);
    const answer = await post(request.body);
    if (!isRpc || token === undefined || !isUnknown(answer)) return answer;
    const again = await post({ ...request.body, auth: token });
    return again.outcome === 'refused' ? answer : again;
  }

  /** Undefined if a secret can't be opened. */
  #loginOf({ url, token, username, password }: AcknowledgeSettings): Login | undefined {
    const { openSecret } = this.#node;
    if (token !== undefined) {
      const opened = openSecret(token, url, 'token');
      return opened === undefined
        ? undefined
        : { token: opened, header: { authorization: `Bearer ${opened}` } };
    }
    if (username === undefined) return {};
    const opened = password === undefined ? '' : openSecret(password, url, 'password');
    if (opened === undefined) return undefined;
    const pair = Buffer.from(`${username}:${opened}`).toString('base64');
    return { header: { authorization: `Basic ${pair}` } };
  }

  #tell(
    { receiver, incidentId, companyId, attempts }: ClaimedAcknowledgement,
    outcome: AcknowledgementOutcome,
  ) {
    const { log } = this.#node;
    const { state, reason } = outcome;
    const details = { receiver, companyId, incidentId, attempts };
    if (state === 'done') log.info(details, 'a source of alerts knows that somebody has taken care');
    else if (state === 'failed')
      log.warn({ ...details, reason }, 'a source of alerts was not told that somebody has taken care');
  }
}

/** The login at a source; empty if it needs none. */
interface Login {
  readonly header?: { readonly authorization: string };
  readonly token?: string;
}

type Answer =
  | { readonly outcome: 'taken'; readonly result: string }
  /** Another try would get the same answer. */
  | { readonly outcome: 'refused'; readonly why: string }
  | {
      readonly outcome: 'away';
      readonly why: string;
      readonly askedMs: number | undefined;
      /** Whether others would get the same answer. */
      readonly isOfAll: boolean;
    };

function refused(why: string): Answer {
  return { outcome: 'refused', why };
}

/** Zabbix before 6.4 reads no header for its API, only the member `auth` of a body, which Zabbix from 7.2 on refuses. */
function isUnknown(answer: Answer): boolean {
  return answer.outcome === 'refused' && /not authori[sz]ed/i.test(answer.why);
}

/** Statuses under 500 that ask for another try: the request came too slowly, too early or too often. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

function isAway({ status }: Posted): boolean {
  return status === undefined || status >= 500 || passing.has(status);
}

/** The login, and so every request, is refused. */
const ofLogin: ReadonlySet<number | undefined> = new Set([401, 403, 407]);

/** The request itself is wrong. Other answers may pass, such as those of a proxy, or to a login that has expired. */
const final: ReadonlySet<number | undefined> = new Set([400, 410, 422]);

function answerOf(posted: Posted, isRpc: boolean): Answer {
  const { status, answer, error, retryAfterMs: askedMs } = posted;
  const failed = isRpc && isTaken(status) ? rpcErrorIn(answer) : undefined;
  if (isTaken(status) && failed === undefined) return { outcome: 'taken', result: answer };
  const said = failed?.message ?? answer.trim();
  const told = said === '' ? '' : quoted(said.replace(/\s+/g, ' ').slice(0, maxResult));
  const why = error ?? storedReason({ sentence: 'source_answered', status: status ?? 0, answer: told });
  const isFinal = failed === undefined ? final.has(status) : failed.code !== internalError;
  if (isFinal) return refused(why);
  return { outcome: 'away', why, askedMs, isOfAll: isAway(posted) || ofLogin.has(status) };
}

/** JSON-RPC 2.0, section 5.1: the other codes are of requests that are wrong. */
const internalError = -32_603;

/** Whatever is no answer of JSON-RPC, such as a page of a proxy, counts as an error. */
function rpcErrorIn(answer: string): { readonly code: number; readonly message: string } | undefined {
  const { error, result } = fieldsIn(answer);
  if (error === undefined && result !== undefined) return undefined;
  const { code, message, data } = Object(error) as Readonly<Record<string, unknown>>;
  return {
    code: Number(code),
    message: [message, data].filter((part) => typeof part === 'string').join(' '),
  };
}

function fieldsIn(answer: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(answer)) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

/** The id of the silence that an earlier try has made. A list that was cut has none: better silenced twice than not at all. */
function silenceIn(answer: string, comment: string): string | undefined {
  const listed = Object.values(fieldsIn(answer)) as readonly {
    readonly id?: unknown;
    readonly comment?: unknown;
    readonly status?: { readonly state?: unknown };
  }[];
  const made = listed.find((one) => one?.comment === comment && one.status?.state !== 'expired');
  return made === undefined ? undefined : String(made.id);
}
