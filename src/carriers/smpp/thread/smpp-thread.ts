/**
 * The thread that all SMPP carriers of a process share. An SMSC's response makes room in the window, and must not wait for
 * other work of the event loop that serves HTTP. The thread runs while there are carriers.
 */
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { startThread } from '../../../foundation/thread.ts';
import type { CarrierOpening, ThreadOrder } from './protocol.ts';

/** The entry point is source or built code, like this file. */
const entry = new URL(`./worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);

/** A carrier opened in a running thread. */
export interface OpenedCarrier {
  /** Closes when the carrier has stopped, or with the thread. */
  readonly port: MessagePort;
  /** Resolves when this thread has ended, with the reason if that was unexpected. */
  readonly ended: Promise<string | undefined>;
  /** Ends this thread with all its carriers, whatever it is doing. */
  readonly end: (reason: string) => void;
}

export class SmppThread {
  readonly #entry: URL;
  #life: RunningThread | undefined;

  constructor(entryFile = entry) {
    this.#entry = entryFile;
  }

  /** Runs a carrier in the thread. */
  open(carrier: Omit<CarrierOpening, 'port'>): OpenedCarrier {
    const life = this.#life ?? this.#begin();
    return life.open(carrier);
  }

  #begin(): RunningThread {
    const over = () => {
      if (this.#life === life) this.#life = undefined;
    };
    const life = new RunningThread(startThread(this.#entry, { name: 'smpp' }), over);
    this.#life = life;
    return life;
  }
}

class RunningThread {
  readonly #worker: Worker;
  /** Called when no more carriers may be opened in the thread. */
  readonly #over: () => void;
  readonly #ended: Promise<string | undefined>;
  #ports = 0;
  #failure: string | undefined;

  constructor(worker: Worker, over: () => void) {
    this.#worker = worker;
    this.#over = over;
    worker.on('error', (error: Error) => {
      this.#failure ??= describeError(error);
    });
    this.#ended = new Promise((resolve) => {
      worker.once('exit', () => {
        over();
        resolve(this.#failure);
      });
    });
  }

  open(carrier: Omit<CarrierOpening, 'port'>): OpenedCarrier {
    const { port1: port, port2 } = new MessageChannel();
    this.#ports += 1;
    port.once('close', () => {
      this.#ports -= 1;
      if (this.#ports === 0) this.#leave();
    });
    this.#worker.postMessage({ ...carrier, port: port2 } satisfies ThreadOrder, [port2]);
    return { port, ended: this.#ended, end: (reason) => this.#end(reason) };
  }

  #leave(): void {
    this.#over();
    this.#worker.postMessage('leave' satisfies ThreadOrder);
  }

  #end(reason: string): void {
    this.#failure ??= reason;
    this.#over();
    void this.#worker.terminate();
  }
}

/** Includes the source location, so that a user can report it from the log. */
function describeError({ message, stack }: Error): string {
  const place = stack?.split('\n').find((line) => line.startsWith('    at '));
  return place === undefined ? message : `${message} (${place.trim()})`;
}
