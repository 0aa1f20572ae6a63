/**
 * Time in the hand of a test, for servers that it starts: their time of day, and which of their timers never come due. What
 * happens although it would come due only then has waited for none of those, however fast the machine is.
 */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const clockHook = new URL('./clock-hook.mjs', import.meta.url);
const timerHook = new URL('./timer-hook.mjs', import.meta.url);

/** Timers of so many milliseconds, both included. */
export type TimerRange = readonly [least: number, most: number];

export class HeldTime {
  readonly #folder = mkdtempSync(join(tmpdir(), 'carillon-time-'));
  readonly #endless: TimerRange | undefined;

  constructor(endless?: TimerRange) {
    this.#endless = endless;
  }

  /** For every server whose time it is. */
  get env(): Readonly<Record<string, string>> {
    const hooks = this.#endless === undefined ? [clockHook] : [clockHook, timerHook];
    return {
      NODE_OPTIONS: hooks.map(({ href }) => `--import=${href}`).join(' '),
      TEST_CLOCK_FILE: this.#file,
      ...(this.#endless && { TEST_ENDLESS_TIMERS_MS: this.#endless.join('-') }),
    };
  }

  /** Ahead of the real time by so much. */
  setClock(byMs: number): void {
    // As a whole, whenever it is read.
    writeFileSync(`${this.#file}.next`, String(byMs));
    renameSync(`${this.#file}.next`, this.#file);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #file(): string {
    return join(this.#folder, 'clock');
  }
}
