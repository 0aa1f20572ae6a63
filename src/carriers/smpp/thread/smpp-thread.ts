/**
 * The thread that all SMPP carriers of a process share: what an SMSC answers makes room in its window, and must not wait
 * until the event loop that serves HTTP has done all else. It lives while there are carriers.
 */
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { startThread } from '../../../foundation/thread.ts';
import type { Opening, ThreadOrder } from './protocol.ts';

/** It runs the same way as this file: from source, or built. */
const entry = new URL(`./worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);

/** A carrier's way into a life of the thread. */
export interface Opened {
  /** Closes when the carrier has stopped, or with the thread. */
  readonly port: MessagePort;
  /** When this life of the thread is over: why, unless it was to end. */
  readonly ended: Promise<string | undefined>;
  /** Ends this life of the thread, whatever it does, for all carriers. */
  readonly end: (reason: string) => void;
}

export class SmppThread {
  readonly #entry: URL;
  #life: Life | undefined;

  constructor(entryFile = entry) {
    this.#entry = entryFile;
  }

  /** Runs a carrier there. */
  open(carrier: Omit<Opening, 'port'>): Opened {
    const life = this.#life ?? this.#begin();
    return life.open(carrier);
  }

  #begin(): Life {
    const over = () => {
      if (this.#life === life) this.#life = undefined;
    };
    const life = new Life(startThread(this.#entry, { name: 'smpp' }), over);
    this.#life = life;
    return life;
  }
}

class Life {
  readonly #worker: Worker;
  /** No carrier may be opened in it any more. */
  readonly #over: () => void;
  readonly #ended: Promise<string | undefined>;
  #ports = 0;
  #failure: string | undefined;

  constructor(worker: Worker, over: () => void) {
    this.#worker = worker;
    this.#over = over;
    worker.on('error', (error: Error) => {
      this.#failure ??= told(error);
    });
    this.#ended = new Promise((resolve) => {
      worker.once('exit', () => {
        over();
        resolve(this.#failure);
      });
    });
  }

  open(carrier: Omit<Opening, 'port'>): Opened {
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

/** With the place, so that whoever reads it in a log can report it. */
function told({ message, stack }: Error): string {
  const place = stack?.split('\n').find((line) => line.startsWith('    at '));
  return place === undefined ? message : `${message} (${place.trim()})`;
}
