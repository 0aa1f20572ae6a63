/**
 * Gives a test control over the time of the servers it starts: their time of day, and which of their timers never fire.
 * Anything that happens anyway cannot have waited for one of those timers, however fast the machine is.
 */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const clockHook = new URL('./clock-hook.mjs', import.meta.url);
const timerHook = new URL('./timer-hook.mjs', import.meta.url);

/** Timers of these durations in milliseconds, both limits included. */
export type TimerRange = readonly [least: number, most: number];

export class HeldTime {
  readonly #folder = mkdtempSync(join(tmpdir(), 'carillon-time-'));
  readonly #endless: TimerRange | undefined;

  constructor(endless?: TimerRange) {
    this.#endless = endless;
  }

  /** The environment for every server that uses this clock. */
  get env(): Readonly<Record<string, string>> {
    const hooks = this.#endless === undefined ? [clockHook] : [clockHook, timerHook];
    return {
      NODE_OPTIONS: hooks.map(({ href }) => `--import=${href}`).join(' '),
      TEST_CLOCK_FILE: this.#file,
      ...(this.#endless && { TEST_ENDLESS_TIMERS_MS: this.#endless.join('-') }),
    };
  }

  /** Sets the servers' clock ahead of real time by this much. */
  setClock(byMs: number): void {
    // Replaces the file atomically, so that readers never see half of it.
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
