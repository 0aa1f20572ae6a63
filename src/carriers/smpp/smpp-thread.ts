/**
 * The thread that all SMPP carriers of a process share: what an SMSC answers makes room in its window, and must not wait
 * until the event loop that serves HTTP has done all else. It lives while there are carriers.
 */
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { startThread } from '../../foundation/thread.ts';
import type { Opening, ThreadOrder } from './crossing.ts';

/** It runs the same way as this file: from source, or built. */
const entry = new URL(`./carrier-thread.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);

export class SmppThread {
  readonly #entry: URL;
  #worker: Worker | undefined;
  #ports = 0;
  /** Threads that have not ended; one that leaves closes its sockets first. */
  #running = 0;
  #failure: string | undefined;

  constructor(entryFile = entry) {
    this.#entry = entryFile;
  }

  /** Why the thread ended by itself, if it ever did. */
  get failure(): string | undefined {
    return this.#failure;
  }

  get isRunning(): boolean {
    return this.#running > 0;
  }

  /** Runs a carrier there. The port closes when the carrier has stopped, or with the thread. */
  open(carrier: Omit<Opening, 'port'>): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const worker = this.#worker ?? this.#start();
    this.#worker = worker;
    this.#ports += 1;
    port1.once('close', () => {
      this.#ports -= 1;
      if (this.#ports === 0) this.#leave();
    });
    worker.postMessage({ ...carrier, port: port2 } satisfies ThreadOrder, [port2]);
    return port1;
  }

  #start(): Worker {
    const worker = startThread(this.#entry, { name: 'smpp' });
    this.#running += 1;
    worker.on('error', (error: Error) => {
      this.#failure = error.message;
    });
    worker.on('exit', () => {
      this.#running -= 1;
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }

  #leave(): void {
    this.#worker?.postMessage('leave' satisfies ThreadOrder);
    this.#worker = undefined;
  }
}
