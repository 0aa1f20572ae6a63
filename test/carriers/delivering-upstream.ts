/** A service by HTTP that takes messages and reports receipts, each after a set time, and repeats those that were not taken. */
import type { CarrierEvents } from '../../src/carriers/carrier.ts';
import { takeCall } from '../../src/carriers/http/callbacks.ts';
import type { HttpCarrier } from '../../src/carriers/http/http-carrier.ts';
import type { HttpDeclaration } from '../../src/carriers/http/settings.ts';
import type { DeliveringSetup } from './delivering-smsc.ts';
import { HttpUpstream } from './http-upstream.ts';

const repeatMs = 300;

/** Numbers ending in 06 are undeliverable; all others get their SMS. */
export class DeliveringUpstream {
  readonly upstream: HttpUpstream;
  readonly #setup: DeliveringSetup;
  #declaration: HttpDeclaration | undefined;
  #events: CarrierEvents | undefined;

  private constructor(setup: DeliveringSetup, upstream: HttpUpstream) {
    this.#setup = setup;
    this.upstream = upstream;
  }

  static async listen(setup: DeliveringSetup): Promise<DeliveringUpstream> {
    const delivering = new DeliveringUpstream(setup, await HttpUpstream.listen());
    delivering.#take();
    return delivering;
  }

  /** What it reports goes to the events of this carrier while the carrier is open. */
  reportTo(carrier: HttpCarrier, declaration: HttpDeclaration): void {
    const { start, stop } = carrier;
    this.#declaration = declaration;
    carrier.start = (events) => {
      this.#events = events;
      return start.call(carrier, events);
    };
    carrier.stop = (deadlineMs) => {
      this.#events = undefined;
      return stop.call(carrier, deadlineMs);
    };
  }

  #take(): void {
    const { answerMs, receiptMs, instance } = this.#setup;
    this.upstream.rule = ({ fields }, response) => {
      const state = String(fields.to).endsWith('06') ? 'failed' : 'delivered';
      const answer = () => {
        const id = `${instance}-${fields.reference}-${this.upstream.submissions.length}`;
        this.upstream.accept(response, id);
        setTimeout(() => this.#report(id, state), receiptMs).unref();
      };
      if (answerMs === 0) answer();
      else setTimeout(answer, answerMs).unref();
    };
  }

  #report(id: string, state: string): void {
    if (this.#events === undefined || this.#declaration === undefined) return;
    const call = {
      method: 'POST',
      url: 'http://127.0.0.1/',
      query: new URLSearchParams(),
      body: JSON.stringify({ id, state }),
      contentType: 'application/json',
      header: () => undefined,
      address: '127.0.0.1',
    };
    takeCall(this.#declaration, 'receipts', call, this.#events, Date.now()).catch(() =>
      setTimeout(() => this.#report(id, state), repeatMs).unref(),
    );
  }
}
