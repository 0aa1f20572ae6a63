/**
 * Schedules requests that have arrived, so that no connection keeps others waiting, even those still to be accepted: Node
 * accepts one in each turn of its event loop, and a turn that answered everything that a thousand connections brought would be
 * long.
 *
 *   come ──(the turn has time left, and nobody waits)──────────────▶ answered
 *     └──▶ in the line of its connection ──(in turns: of companies, their users, and their connections)──▶ answered
 *            │                               └──(the server is full)──▶ refused, which costs least
 *            └──(too many wait)──▶ refused; the connection ends behind it
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { FairQueue } from '../../foundation/fair-queue.ts';
import { LinkedMap } from '../../foundation/linked-map.ts';
import { whenEnded } from '../when-ended.ts';
import { turnOfCallOn } from './http-connections.ts';

export interface ArrivalLimits {
  /** How long requests are answered before others get their turn: connections, the store, timers. */
  readonly turnMs: number;
  /** The same while connections wait to be accepted. */
  readonly acceptingTurnMs: number;
  /** The most calls of one connection in progress after the first, since responses leave in the order of their calls. */
  readonly maxUnderWay: number;
  /** A connection with this many waiting calls is not read further until half of them are answered. */
  readonly pauseAt: number;
  /** More than `pauseAt`, since one piece may bring many calls at once. */
  readonly maxWaiting: number;
  /** The most waiting calls of all connections; beyond it, each connection may have `pauseAt`. */
  readonly maxWaitingInAll: number;
  /** A call that has waited this long is refused if there is still no room for it. */
  readonly maxWaitForRoomMs: number;
  /** How often room is checked for while there is none. */
  readonly roomLookMs: number;
}

export const standardArrivalLimits: ArrivalLimits = {
  turnMs: 5,
  acceptingTurnMs: 1,
  maxUnderWay: 16,
  pauseAt: 32,
  maxWaiting: 1_000,
  maxWaitingInAll: 20_000,
  maxWaitForRoomMs: 120,
  roomLookMs: 2,
};

export interface ArrivalRefusals {
  /** Whether the server is full, so that this call waits until it is not. */
  readonly hasNoRoomFor: (request: IncomingMessage) => boolean;
  /** Called when the call has waited too long for room. */
  readonly refuse: (request: IncomingMessage, response: ServerResponse) => void;
  /** Called when more calls than may wait arrive on its connection, which ends after the response. */
  readonly refuseFlood: (request: IncomingMessage, response: ServerResponse) => void;
}

interface WaitingCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly cameAtMs: number;
}

/** Waiting calls of one connection, the oldest first. */
interface ConnectionQueue {
  readonly socket: Socket;
  readonly waiting: WaitingCall[];
  /** Calls begun after the first. */
  readonly underWay: Set<ServerResponse>;
  isPaused: boolean;
  isFlooded: boolean;
}

/** The time since which the first call of a line may be answered, and whose turn it takes. */
interface Ready {
  readonly sinceMs: number;
  readonly turn: ReturnType<typeof turnOfCallOn>;
}

const lineOf = Symbol('line');
type QueuedSocket = Socket & { [lineOf]?: ConnectionQueue };

/** Node keeps the current response on its socket and finds it in the same way; there is no public alternative. */
export function answerUnderWayOn(
  socket: Socket & { readonly _httpMessage?: ServerResponse | null },
): ServerResponse | undefined {
  return socket._httpMessage ?? undefined;
}

export class Arrivals {
  readonly #limits: ArrivalLimits;
  readonly #refusals: ArrivalRefusals;
  #answerBy: RequestListener = () => undefined;
  /** Lines whose first call may be answered. */
  readonly #ready = new FairQueue<ConnectionQueue>();
  /** The same lines, the one that has been ready for longest first. */
  readonly #readyByAge = new LinkedMap<ConnectionQueue, Ready>();
  #waiting = 0;
  #turnEndsAtMs: number | undefined;
  #isAccepting = false;
  #isWaitingForRoom = false;

  constructor(refusals: ArrivalRefusals, limits: Partial<ArrivalLimits> = {}) {
    this.#refusals = refusals;
    this.#limits = { ...standardArrivalLimits, ...limits };
  }

  /** Calls that have arrived and are not yet being answered. */
  get waiting(): number {
    return this.#waiting;
  }

  /** How long the next call in turn has waited. */
  get waitMs(): number {
    if (this.#isWaitingForRoom) return 0;
    const { next } = this.#ready;
    const ready = next && this.#readyByAge.get(next);
    return ready === undefined ? 0 : performance.now() - ready.sinceMs;
  }

  /** A connection was accepted, so there may be more waiting behind it. */
  connected(): void {
    this.#isAccepting = true;
  }

  /** Responses to calls that arrived completely on this connection, begun or not, in order. */
  answersOn(socket: QueuedSocket): readonly ServerResponse[] {
    const first = answerUnderWayOn(socket);
    const { [lineOf]: line } = socket;
    const behind =
      line === undefined ? [] : [...line.underWay, ...line.waiting.map(({ response }) => response)];
    const answers = new Set(first ? [first, ...behind] : behind);
    return [...answers].filter(({ req }) => req.complete);
  }

  /** Whether a response is still pending on this connection. */
  hasCallOn(socket: QueuedSocket): boolean {
    const { [lineOf]: line } = socket;
    return (
      answerUnderWayOn(socket) !== undefined ||
      (line !== undefined && line.underWay.size + line.waiting.length > 0)
    );
  }

  /** Returns the request listener for a server, to be used in place of `answer`. */
  listenerFor(answer: RequestListener): RequestListener {
    this.#answerBy = answer;
    return this.#take;
  }

  readonly #take = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket }: { readonly socket: QueuedSocket } = request;
    // Our side has ended, so a call that cannot be answered is not carried out.
    if (!socket.writable) return;
    // A response without a socket comes after an earlier one that is still pending.
    const isNext = response.socket !== null && this.#ready.size === 0;
    if (isNext && !this.#refusals.hasNoRoomFor(request) && this.#hasTime()) this.#answerBy(request, response);
    else this.#wait(lineFor(socket), { request, response, cameAtMs: performance.now() });
  };

  #hasTime(): boolean {
    const nowMs = performance.now();
    if (this.#turnEndsAtMs === undefined) {
      this.#turnEndsAtMs = nowMs + this.#turnMs();
      setImmediate(this.#advance);
    }
    return nowMs < this.#turnEndsAtMs;
  }

  #turnMs(): number {
    return this.#isAccepting ? this.#limits.acceptingTurnMs : this.#limits.turnMs;
  }

  #answer({ request, response }: WaitingCall): void {
    if (this.#refusals.hasNoRoomFor(request)) this.#refusals.refuse(request, response);
    else this.#answerBy(request, response);
  }

  /** Whether the next call waits for room and has not yet waited too long. */
  #isToWait({ waiting: [next] }: ConnectionQueue, nowMs: number): boolean {
    if (next === undefined || nowMs - next.cameAtMs >= this.#limits.maxWaitForRoomMs) return false;
    return this.#refusals.hasNoRoomFor(next.request);
  }

  #wait(line: ConnectionQueue, call: WaitingCall): void {
    const { pauseAt, maxWaiting, maxWaitingInAll } = this.#limits;
    const { length } = line.waiting;
    const isFlood = length >= maxWaiting || (length >= pauseAt && this.#waiting >= maxWaitingInAll);
    if (line.isFlooded || isFlood) {
      // Whatever the client sends after the first excess call is not answered individually.
      if (!line.isFlooded) this.#refusals.refuseFlood(call.request, call.response);
      line.isFlooded = true;
      return;
    }
    line.waiting.push(call);
    this.#waiting += 1;
    if (line.waiting.length >= pauseAt && !line.isPaused) pauseReading(line);
    this.#attend(line);
  }

  #attend(line: ConnectionQueue): void {
    const isBusy = line.underWay.size >= this.#limits.maxUnderWay;
    if (line.waiting.length === 0 || isBusy || this.#readyByAge.get(line) !== undefined) return;
    const turn = turnOfCallOn(line.socket);
    this.#ready.add(line, turn.company, turn.member);
    this.#readyByAge.set(line, { sinceMs: performance.now(), turn });
    // Opens a turn for answering the call, unless a turn is already open.
    if (!this.#isWaitingForRoom) this.#hasTime();
  }

  readonly #advance = (): void => {
    const endsAtMs = performance.now() + this.#turnMs();
    this.#isAccepting = false;
    this.#turnEndsAtMs = undefined;
    this.#isWaitingForRoom = false;
    let nowMs = performance.now();
    do {
      const line = this.#nextToAnswer(nowMs);
      if (line === undefined) break;
      this.#answerFirst(line);
      nowMs = performance.now();
    } while (nowMs < endsAtMs);
    // A line with more calls may have opened the next turn already.
    if (this.#turnEndsAtMs !== undefined) return;
    if (this.#isWaitingForRoom) setTimeout(this.#advance, this.#limits.roomLookMs);
    else if (this.#ready.size > 0) this.#hasTime();
  };

  /** Takes the line whose turn it is, or while that waits for room, the oldest that need not wait any longer. */
  #nextToAnswer(nowMs: number): ConnectionQueue | undefined {
    const { next } = this.#ready;
    if (next === undefined) return undefined;
    if (!this.#isToWait(next, nowMs)) {
      this.#ready.take();
      this.#readyByAge.delete(next);
      return next;
    }
    const [oldest, { turn }] = this.#readyByAge.first as readonly [ConnectionQueue, Ready];
    this.#isWaitingForRoom = this.#isToWait(oldest, nowMs);
    if (this.#isWaitingForRoom) return undefined;
    this.#ready.remove(oldest, turn.company, turn.member);
    this.#readyByAge.delete(oldest);
    return oldest;
  }

  #answerFirst(line: ConnectionQueue): void {
    const call = line.waiting.shift();
    if (call === undefined) return;
    this.#waiting -= 1;
    if (line.isPaused && line.waiting.length <= this.#limits.pauseAt / 2) resumeReading(line);
    const { request, response } = call;
    if (response.socket === null) {
      line.underWay.add(response);
      whenEnded(request, response, () => {
        line.underWay.delete(response);
        this.#attend(line);
      });
    }
    if (line.socket.writable) this.#answer(call);
    this.#attend(line);
  }
}

function lineFor(socket: QueuedSocket): ConnectionQueue {
  socket[lineOf] ??= {
    socket,
    waiting: [],
    underWay: new Set(),
    isPaused: false,
    isFlooded: false,
  };
  return socket[lineOf];
}

/** Node resumes reading whenever a response is finished, so a simple pause would not last. */
function pauseReading(line: ConnectionQueue): void {
  line.isPaused = true;
  line.socket.pause();
  line.socket.resume = () => line.socket;
}

function resumeReading(line: ConnectionQueue): void {
  line.isPaused = false;
  // The instance's own property hides the method of its class.
  delete (line.socket as Partial<Socket>).resume;
  line.socket.resume();
}
