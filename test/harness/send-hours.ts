/** Companies with send hours and queued batches, and an adjustable clock, to test what happens to the batches. */
import { beforeEach } from 'vitest';
import { ClosedCompanies } from '../../src/batches/hours/closed-companies.ts';
import { KeptHours } from '../../src/batches/hours/keep-hours.ts';
import type { SendHours } from '../../src/batches/hours/send-hours.ts';
import { readStatusCounts } from '../../src/batches/reading/counts.ts';
import { claimMessages } from '../../src/messages/dispatch/claim.ts';
import type { Store } from '../../src/storage/store.ts';
import { putCompany, putUser } from './account-verbs.ts';
import { clearBatches, listBatchMessages } from './batch-verbs.ts';
import { advanceAll, putBatch, type TestBatch } from './batches.ts';
import { type DeliveryStore, deliveryStore } from './delivery-store.ts';
import { listUsed, putSimulator } from './delivery-verbs.ts';
import type { Engine } from './stores.ts';

export const hourMs = 60 * 60 * 1_000;
export const minuteMs = 60_000;

/** 06:00 to 20:00 UTC in winter. */
export const day: SendHours = { from: '07:00', to: '21:00', zone: 'Europe/Stockholm', batch: 'delay' };

export class SendHoursRoom {
  readonly given: DeliveryStore;
  now = 0;
  /** How far the clock is ahead of the time that has actually passed. */
  putAheadMs = 0;
  closed!: ClosedCompanies;
  /** The messages that have been logged. */
  readonly lines: string[] = [];

  constructor(given: DeliveryStore) {
    this.given = given;
  }

  get store(): Store {
    return this.given.store;
  }

  at(time: string): void {
    this.now = Date.parse(time);
  }

  /** Sets the company's send hours; without them it sends at any hour. */
  async keep(sendHours?: SendHours, id = 1): Promise<void> {
    await this.store.write(putCompany, { id, name: `Company ${id}`, ...(sendHours && { sendHours }) });
    await this.closed.read();
  }

  hours(store: Store = this.store): KeptHours {
    const { closed } = this;
    return new KeptHours({ store, clock: { now: () => this.now }, closed, log: this.log });
  }

  get log() {
    const keep = (_: object, message: string) => void this.lines.push(message);
    return { warn: keep, info: keep, error: keep };
  }

  sweep(): Promise<number> {
    return this.hours().sweep(this.now);
  }

  claim(room = 100, carrierId = 1) {
    const { now } = this;
    const claim = { carrierId, nodeId: 7, room, bulkFloor: Math.ceil(room / 10), now };
    return this.store.write(claimMessages, { ...claim, closedHours: this.closed.at(now) });
  }

  /** Queues the whole batch one minute before the send hours end. */
  async inLine(evening: string, batch: Partial<TestBatch> = {}): Promise<void> {
    this.at(evening);
    await putBatch(this.store, { id: 1, partsOfEach: 2, ...batch });
    await advanceAll(this.store, this.now - minuteMs);
  }

  messages(batchId = 1) {
    return this.store.read(listBatchMessages, batchId);
  }

  async stages(batchId = 1): Promise<readonly (number | null)[]> {
    return (await this.messages(batchId)).map((message) => message.stage);
  }

  /** The batch's message counts by status. */
  async counts(batchId = 1): Promise<Readonly<Record<string, number>>> {
    const own = { companyId: 1, userId: 10, batchId, conversation: null, afterId: 0, limit: 10 };
    const [batch] = await this.store.read(readStatusCounts, own);
    return Object.fromEntries(batch?.counts.map((count) => [count.status, count.messages]) ?? []);
  }

  /** The quota used by all companies, then by all users. */
  async used(): Promise<readonly number[]> {
    return (await this.store.read(listUsed, null)).map((row) => row.used);
  }
}

/** Company 1 with user 10 has send hours; company 2 with user 20 sends at any hour; carriers 1 and 2 exist. */
export function sendHoursRoom(engine: Engine): SendHoursRoom {
  const given = deliveryStore(engine);
  const room = new SendHoursRoom(given);
  beforeEach(async () => {
    await given.store.write(clearBatches, null);
    await given.store.write(putCompany, { id: 1, name: 'Company 1' });
    await given.store.write(putUser, { id: 10, companyId: 1, username: 'first', roles: ['send'] });
    await given.store.write(putUser, { id: 11, companyId: 1, username: 'second' });
    await given.store.write(putCompany, { id: 2, name: 'Company 2' });
    await given.store.write(putUser, { id: 20, companyId: 2, username: 'other', roles: ['send'] });
    await given.store.write(putSimulator, { id: 2 });
    room.lines.splice(0);
    room.putAheadMs = 0;
    const clock = { now: () => room.now };
    const stopwatch = { elapsed: () => room.now - room.putAheadMs };
    room.closed = new ClosedCompanies({ store: given.store, clock, stopwatch, log: room.log });
    await room.keep(day);
  });
  return room;
}
