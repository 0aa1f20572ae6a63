/**
 * A store lent to one test: code that the test leaves running can neither use the store afterwards nor get responses from it.
 */
import type { ReadOptions, Store } from '../../src/storage/store.ts';
import { storeUnavailable } from '../../src/storage/store.ts';
import type { ReadVerb, WriteVerb } from '../../src/storage/verb.ts';

export class LentStore implements Store {
  readonly #store: Store;
  readonly #underWay = new Set<Promise<unknown>>();
  #isBack = false;
  isClosed = false;

  constructor(store: Store) {
    this.#store = store;
  }

  get dialect() {
    return this.#store.dialect;
  }

  get damage() {
    return this.#store.damage;
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

  write<Input, Output>(verb: WriteVerb<Input, Output>, input: Input): Promise<Output> {
    return this.#call(() => this.#store.write(verb, input));
  }

  read<Input, Output>(verb: ReadVerb<Input, Output>, input: Input, options?: ReadOptions): Promise<Output> {
    return this.#call(() => this.#store.read(verb, input, options));
  }

  announce(topic: string): void {
    if (!this.#isBack) this.#store.announce(topic);
  }

  onAnnouncement(listener: (topic: string) => void): void {
    this.#store.onAnnouncement((topic) => {
      if (!this.#isBack) listener(topic);
    });
  }

  forgetDeleted(): void {
    if (!this.#isBack) this.#store.forgetDeleted();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.#store.close();
  }

  /** From now on the store behaves as if closed. */
  async takeBack(): Promise<void> {
    this.#isBack = true;
    await Promise.allSettled(this.#underWay);
  }

  #call<Output>(call: () => Promise<Output>): Promise<Output> {
    if (this.#isBack) return Promise.reject(storeUnavailable(new Error('the test of this store is over')));
    const calling = call();
    this.#underWay.add(calling);
    const over = () => this.#underWay.delete(calling);
    calling.then(over, over);
    return calling;
  }
}
