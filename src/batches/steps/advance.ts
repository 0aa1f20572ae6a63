/** Makes steps of batches, and works out the send hours of a company when a step asks for them. */
import type { Store } from '../../storage/store.ts';
import { parseSendHours } from '../hours/send-hours.ts';
import { sendWindow } from '../hours/send-window.ts';
import { advanceBatch, type BatchStep, type CurrentSendHours } from './advance-store.ts';
import type { BatchKey } from './batch-in-steps.ts';

/** Steps ask only once while a company's hours stay the same. */
export class Advance {
  readonly #store: Store;
  /** The stored form by company, as of the last time that a step asked. */
  readonly #sendHours = new Map<number, string>();

  readonly #isListenedTo: (companyId: number) => boolean;

  constructor(store: Store, isListenedTo: (companyId: number) => boolean = () => false) {
    this.#store = store;
    this.#isListenedTo = isListenedTo;
  }

  async step(key: BatchKey, now: number): Promise<Exclude<BatchStep, { kind: 'asks' }>> {
    for (;;) {
      const hours = hoursAt(this.#sendHours.get(key.companyId), now);
      const listened = this.#isListenedTo(key.companyId);
      const step = await this.#store.write(advanceBatch, { ...key, now, hours, listened });
      if (step.kind !== 'asks') return step;
      this.#sendHours.set(key.companyId, step.sendHours);
    }
  }
}

function hoursAt(stored: string | undefined, now: number): CurrentSendHours | undefined {
  const sendHours = parseSendHours(stored ?? null);
  if (stored === undefined || sendHours === undefined) return undefined;
  return { sendHours: stored, window: sendWindow(sendHours, now) };
}
