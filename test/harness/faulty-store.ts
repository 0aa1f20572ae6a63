/**
 * A store whose connection breaks when a test wants: before a call is carried out, or afterwards, losing the response.
 */
import { OutcomeUnknown, type Store, storeUnavailable } from '../../src/storage/store.ts';
import type { ReadVerb, WriteVerb } from '../../src/storage/verb.ts';

interface Fault {
  /** The verb's name; undefined for any verb. */
  readonly verb: string | undefined;
  readonly kind: 'refuse' | 'reject' | 'lose' | 'hold' | 'holdAnswer';
  readonly until: Promise<void>;
  /** Calls of the verb to let through first. */
  after: number;
  times: number;
}

const immediately = Promise.resolve();

export class FaultyStore implements Store {
  readonly #store: Store;
  readonly #faults: Fault[] = [];
  /** The names of the called verbs, in order. */
  readonly calls: string[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  get damage() {
    return this.#store.damage;
  }

  get dialect() {
    return this.#store.dialect;
  }

  forgetDeleted(): void {
    this.#store.forgetDeleted();
  }

  worksFor(verb: { readonly name: string }): boolean {
    return this.#store.worksFor(verb);
  }

  waitMs(verb: { readonly name: string }): number {
    return this.#store.waitMs(verb);
  }

  get waitingReads(): number {
    return this.#store.waitingReads;
  }

  /** The next `times` calls of the verb are not carried out. */
  refuse(verb: string | undefined, times: number): void {
    this.#faults.push({ verb, kind: 'refuse', until: immediately, after: 0, times });
  }

  /** The next `times` calls of the verb reach the store, which rejects them. */
  reject(verb: string, times: number): void {
    this.#faults.push({ verb, kind: 'reject', until: immediately, after: 0, times });
  }

  /** The next `times` calls of the verb are carried out, but their responses are lost. */
  loseAnswers(verb: string, times: number): void {
    this.#faults.push({ verb, kind: 'lose', until: immediately, after: 0, times });
  }

  /**
   * After `after` other calls, the next `times` calls of the verb are carried out only when the returned function is called.
   */
  hold(verb: string | undefined, times: number, after = 0): () => void {
    return this.#hold('hold', verb, times, after);
  }

  /** The same, but the calls are carried out at once and only their responses are held. */
  holdAnswers(verb: string, times: number): () => void {
    return this.#hold('holdAnswer', verb, times, 0);
  }

  #hold(kind: 'hold' | 'holdAnswer', verb: string | undefined, times: number, after: number): () => void {
    let letGo = () => {};
    const until = new Promise<void>((resolve) => (letGo = resolve));
    this.#faults.push({ verb, kind, until, after, times });
    return letGo;
  }

  /** Ends all faults. */
  mend(): void {
    this.#faults.splice(0);
  }

  write<Input, Output>(verb: WriteVerb<Input, Output>, input: Input): Promise<Output> {
    return this.#call(verb.name, () => this.#store.write(verb, input));
  }

  read<Input, Output>(verb: ReadVerb<Input, Output>, input: Input): Promise<Output> {
    return this.#call(verb.name, () => this.#store.read(verb, input));
  }

  announce(topic: string): void {
    this.#store.announce(topic);
  }

  onAnnouncement(listener: (topic: string) => void): void {
    this.#store.onAnnouncement(listener);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #call<Output>(verb: string, carryOut: () => Promise<Output>): Promise<Output> {
    this.calls.push(verb);
    const fault = this.#faults.find((one) => one.times > 0 && (one.verb ?? verb) === verb);
    if (fault === undefined) return carryOut();
    if (fault.after > 0) {
      fault.after -= 1;
      return carryOut();
    }
    fault.times -= 1;
    if (fault.kind === 'refuse') throw storeUnavailable(new Error('the connection was refused'));
    if (fault.kind === 'reject') throw new Error('the table is broken');
    if (fault.kind === 'hold') await fault.until;
    const output = await carryOut();
    if (fault.kind === 'holdAnswer') await fault.until;
    if (fault.kind === 'lose') throw new OutcomeUnknown(new Error('the connection broke before the answer'));
    return output;
  }
}
