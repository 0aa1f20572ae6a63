/**
 * The messages room, assembled as in the app, with carrier and clock under the test's control. Nothing happens
 * unprompted, so a test can wait for all consequences of each action.
 */

import { setImmediate as turn } from 'node:timers/promises';
import type { Caller } from '../../src/accounts/caller.ts';
import type { IncomingSms, InDoubtPolicy, OutgoingPart } from '../../src/carriers/carrier.ts';
import { ServiceError } from '../../src/foundation/errors.ts';
import { Turns } from '../../src/foundation/turns.ts';
import { Dispatch } from '../../src/messages/dispatch/dispatch.ts';
import { type IncomingServices, receive } from '../../src/messages/incoming/incoming.ts';
import { DeadNodes } from '../../src/messages/nodes/dead-nodes.ts';
import { enterNode } from '../../src/messages/nodes/store.ts';
import { cancel } from '../../src/messages/operator/cancel.ts';
import { recordReceipts } from '../../src/messages/receipts/store.ts';
import { plainRequest, type SendRequest } from '../../src/messages/sending/parameters.ts';
import { type Sending, type Sent, send } from '../../src/messages/sending/send.ts';
import { Upkeep } from '../../src/messages/upkeep/upkeep.ts';
import { RoutingTable } from '../../src/routing/routing-table.ts';
import { Ids } from '../../src/storage/ids.ts';
import { News } from '../../src/storage/news.ts';
import type { Store } from '../../src/storage/store.ts';
import type { ReadVerb, WriteVerb } from '../../src/storage/verb.ts';
import { SavedTemplates } from '../../src/templates/saved-templates.ts';
import type { ModelReceipt, Outcome } from './message-rules.ts';
import { ScriptedCarrier } from './scripted-carrier.ts';
import type { FreshStore } from './stores.ts';

export function callerOf(userId: number): Caller {
  return {
    userId,
    username: `user ${userId}`,
    companyId: 1,
    roles: new Set(['send'] as const),
    defaultSender: 'Sender',
    allowedSenders: undefined,
    replaceCharacters: false,
    maxBatch: undefined,
    allowedCountries: undefined,
    session: undefined,
  };
}

/** A store that reports when no more calls are in progress. */
class WatchedStore implements Store {
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #current: () => Store;

  constructor(current: () => Store) {
    this.#current = current;
  }

  get dialect() {
    return this.#current().dialect;
  }

  get damage() {
    return this.#current().damage;
  }

  worksFor(verb: { readonly name: string }): boolean {
    return this.#current().worksFor(verb);
  }

  waitMs(verb: { readonly name: string }): number {
    return this.#current().waitMs(verb);
  }

  get waitingReads(): number {
    return this.#current().waitingReads;
  }

  forgetDeleted = () => this.#current().forgetDeleted();

  write<Input, Output>(verb: WriteVerb<Input, Output>, input: Input): Promise<Output> {
    return this.#watch(this.#current().write(verb, input));
  }

  read<Input, Output>(verb: ReadVerb<Input, Output>, input: Input): Promise<Output> {
    return this.#watch(this.#current().read(verb, input));
  }

  announce(topic: string): void {
    this.#current().announce(topic);
  }

  onAnnouncement(listener: (topic: string) => void): void {
    this.#current().onAnnouncement(listener);
  }

  close(): Promise<void> {
    return this.#current().close();
  }

  /** Resolves when every call has been answered and those answers have led to no further calls. */
  async quiet(): Promise<void> {
    for (let quietTurns = 0; quietTurns < 4; quietTurns++) {
      await turn();
      if (this.#underWay.size === 0) continue;
      quietTurns = 0;
      await Promise.allSettled(this.#underWay);
    }
  }

  #watch<Output>(answer: Promise<Output>): Promise<Output> {
    const done = () => this.#underWay.delete(answer);
    this.#underWay.add(answer);
    answer.then(done, done);
    return answer;
  }
}

/** A carrier that names parts by message, part and handover count. */
class NamingCarrier extends ScriptedCarrier {
  readonly byName = new Map<string, OutgoingPart>();
  readonly #times: Map<string, number>;

  constructor(inDoubtPolicy: InDoubtPolicy, times: Map<string, number>) {
    super({ inDoubtPolicy });
    this.#times = times;
  }

  override submit(parts: readonly OutgoingPart[]): void {
    for (const part of parts) {
      const place = `${part.messageId}/${part.part}`;
      const times = (this.#times.get(place) ?? 0) + 1;
      this.#times.set(place, times);
      this.byName.set(`${place}/${times}`, part);
    }
    super.submit(parts);
  }
}

interface Life {
  readonly carrier: NamingCarrier;
  readonly dispatch: Dispatch;
  readonly upkeep: Upkeep;
}

const log = { warn: () => undefined, error: () => undefined, info: () => undefined };

export class MessagingRoom {
  readonly store: WatchedStore;
  /** The store as another node sees it, if the engine supports that. */
  readonly otherStore: Store;
  readonly clock = { time: 0, now: () => this.clock.time };
  carrierIsOpen = true;
  /** How often each part was handed over, across all lives of the node. */
  readonly handovers = new Map<string, number>();
  readonly #fresh: FreshStore;
  readonly #policy: InDoubtPolicy;
  readonly #routes: RoutingTable;
  #sending: Sending;
  #receiving: IncomingServices;
  #life: Life | undefined;
  /** Lives that were declared dead but continue. */
  #ghosts: Life[] = [];

  constructor(fresh: FreshStore, policy: InDoubtPolicy, now: number, otherStore?: Store) {
    this.#fresh = fresh;
    this.#policy = policy;
    this.clock.time = now;
    this.store = new WatchedStore(() => fresh.store);
    this.otherStore = otherStore ?? this.store;
    const record = { id: 1, name: 'carrier 1', type: 'simulator' as const, settings: {} };
    this.#routes = new RoutingTable([{ name: 'all', prefix: '', carriers: ['carrier 1'] }], [record]);
    this.#sending = this.#makeSending();
    this.#receiving = this.#makeReceiving();
  }

  #makeSending(): Sending {
    const { store, clock } = this;
    return {
      store,
      clock,
      routes: () => this.#routes,
      templates: new SavedTemplates(store, new News(store)),
      observer: { accepted: () => undefined },
      security: { record: () => undefined },
      isTracked: () => this.clock.time % 2 === 0,
      turns: new Turns(),
      personSecret: '00',
      ids: new Ids(store, 'message', 100),
      dispatching: {
        expect: (_, rows) => this.#life?.dispatch.expect(rows),
        wake: () => this.#life?.dispatch.wake(),
      },
    };
  }

  #makeReceiving(): IncomingServices {
    return {
      store: this.store,
      clock: this.clock,
      ids: new Ids(this.store, 'incoming', 10),
      personSecret: '00',
    };
  }

  /** Starts a node, which takes over what others left. */
  async begin(): Promise<void> {
    const { store, clock } = this;
    const nodeId = await new Ids(store, 'node', 1).draw(1);
    await store.write(enterNode, { nodeId, now: clock.now() });
    const carrier = new NamingCarrier(this.#policy, this.handovers);
    const mayClaim = () => this.carrierIsOpen;
    const dispatch = new Dispatch({ store, clock, nodeId, carrier, log, mayClaim });
    carrier.outcome = (part, outcome) => dispatch.outcome(part, outcome);
    const upkeep = new Upkeep({
      store,
      clock,
      nodeId,
      log,
      carriers: () => [carrier],
      allOpen: () => true,
      routes: () => this.#routes,
      wake: () => dispatch.wake(),
      deadNodes: new DeadNodes(store, nodeId, 0),
      seekOrphans: () => undefined,
      unmatchedReceipts: () => undefined,
    });
    this.#life = { carrier, dispatch, upkeep };
    await upkeep.replaceDeadNodes();
    dispatch.wake();
    await this.settled();
  }

  /** The process disappears at once and restarts with what it has stored. */
  async crash(): Promise<void> {
    this.#life = undefined;
    this.#ghosts = [];
    await this.#fresh.reopen();
    this.#sending = this.#makeSending();
    this.#receiving = this.#makeReceiving();
    await this.begin();
  }

  /** Another node declares this one dead and carries on; the old carrier may still respond. */
  async replace(): Promise<void> {
    if (this.#life !== undefined) this.#ghosts.push(this.#life);
    await this.begin();
  }

  /** Resolves when all consequences of the last action are complete. */
  settled(): Promise<void> {
    return this.store.quiet();
  }

  async sweep(): Promise<void> {
    await this.life.upkeep.wakeDue();
    await this.settled();
    await this.life.upkeep.expire();
    await this.settled();
  }

  openCarrier(isOpen: boolean): void {
    this.carrierIsOpen = isOpen;
    if (isOpen) this.life.dispatch.wake();
  }

  get life(): Life {
    if (this.#life === undefined) throw new Error('the room has not begun');
    return this.#life;
  }

  /** The names of the parts without a response from the carrier. */
  openParts(): readonly string[] {
    const { carrier } = this.life;
    return [...carrier.byName].filter(([, part]) => carrier.open.includes(part)).map(([name]) => name);
  }

  answer(name: string, outcome: Outcome): void {
    for (const { carrier } of [this.life, ...this.#ghosts]) {
      const part = carrier.byName.get(name);
      if (part === undefined || !carrier.open.includes(part)) continue;
      const reason = 'the test says so';
      carrier.answer(
        part,
        outcome.kind === 'accepted' ? { ...outcome, carrierMessageId: name } : { ...outcome, reason },
      );
    }
  }

  async tell(receipts: readonly ModelReceipt[]): Promise<void> {
    const receivedAt = this.clock.now();
    await this.store.write(
      recordReceipts,
      receipts.map(({ id, status }) => ({
        carrierId: 1,
        carrierMessageId: id,
        status,
        errorCode: null,
        receivedAt,
      })),
    );
  }

  send(userId: number, request: Partial<SendRequest>, key?: string): Promise<Sent | string> {
    return refusedOr(send(this.#sending, callerOf(userId), { ...plainRequest, ...request }, key));
  }

  /** Resolves with the new status's name or the refusal's code. */
  cancel(id: string): Promise<string> {
    return refusedOr(cancel(this.store, this.clock, id));
  }

  receive(sms: IncomingSms) {
    return receive(this.#receiving, 1, sms);
  }
}

/** A refusal's code counts as a response. */
function refusedOr<Answer>(answer: Promise<Answer>): Promise<Answer | string> {
  return answer.catch((error: unknown) => {
    if (error instanceof ServiceError) return error.code;
    throw error;
  });
}
