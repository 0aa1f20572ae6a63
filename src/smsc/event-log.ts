/** Reports the test SMSC's events to its operator, one line each, and counts them by kind. */
import type { Clock } from '../foundation/clock.ts';
import type { Stat } from './behaviour.ts';

/** The first word of a line. */
type EventName =
  | 'bind'
  | 'unbind'
  | 'closed'
  | 'submit'
  | 'whole'
  | 'answer'
  | 'receipt'
  | 'incoming'
  | 'refused'
  | 'other'
  | 'fault';

export class EventLog {
  readonly #clock: Clock;
  readonly #write: ((text: string) => void) | undefined;
  #lines: string[] = [];
  #flushing: NodeJS.Immediate | undefined;
  binds = 0;
  bindsRefused = 0;
  submissions = 0;
  accepted = 0;
  unanswered = 0;
  /** Number of refusals by command_status. */
  readonly refusals = new Map<string, number>();
  /** Counts every receipt sent, including the second of two for one message. */
  readonly receipts = new Map<Stat, number>();
  incoming = 0;
  deliveriesTaken = 0;
  deliveriesRefused = 0;

  /** Without `write`, the log only counts. */
  constructor(clock: Clock, write: ((text: string) => void) | undefined) {
    this.#clock = clock;
    this.#write = write;
  }

  /** `words` is called only if the text is written. */
  record(event: EventName, words: () => string): void {
    if (this.#write === undefined) return;
    const time = new Date(this.#clock.now()).toISOString().slice(11, 23);
    this.#lines.push(`${time}  ${event.padEnd(8)}  ${words()}\n`);
    this.#flushing ??= setImmediate(() => this.flush());
  }

  /** Writes all lines from one turn of the event loop together. */
  flush(): void {
    clearImmediate(this.#flushing);
    this.#flushing = undefined;
    if (this.#lines.length > 0) this.#write?.(this.#lines.splice(0).join(''));
  }

  /** One row per kind: its name and its count. */
  counts(): readonly (readonly [string, string])[] {
    const { binds, submissions, accepted, unanswered, incoming } = this;
    return [
      ['binds', withRest(binds, [['refused', this.bindsRefused]])],
      [
        'submissions',
        withRest(submissions, [['accepted', accepted], ...this.refusals, ['not answered', unanswered]]),
      ],
      ['receipts', withRest(sum(this.receipts.values()), [...this.receipts])],
      ['incoming SMS', String(incoming)],
      ['taken by clients', withRest(this.deliveriesTaken, [['refused', this.deliveriesRefused]])],
    ];
  }
}

export function increment<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((all, one) => all + one, 0);
}

function withRest(count: number, parts: readonly (readonly [string, number])[]): string {
  const shown = parts.filter(([, number]) => number > 0).map(([name, number]) => `${name} ${number}`);
  return shown.length === 0 ? String(count) : `${count} (${shown.join(', ')})`;
}
