/** Logs when a carrier comes up or goes down, and why, so that nobody has to watch figures for it. */
import type { Carrier, CarrierStatus } from '../../carriers/carrier.ts';
import { Periodic } from '../../foundation/periodic.ts';

export interface CarrierLogOptions {
  readonly carriers: () => readonly Pick<Carrier, 'name' | 'status'>[];
  readonly log: {
    warn(details: object, message: string): void;
    info(details: object, message: string): void;
  };
}

const lookEveryMs = 1_000;

export class CarrierLog {
  readonly #options: CarrierLogOptions;
  #told: ReadonlyMap<string, CarrierStatus> = new Map();
  readonly #looks: Periodic;

  constructor(options: CarrierLogOptions) {
    this.#options = options;
    const failed = (error: unknown) => options.log.warn({ error }, 'carriers could not be looked at');
    this.#looks = new Periodic({ pauseMs: lookEveryMs, failed }, () => this.look());
  }

  start(): void {
    this.#looks.start();
  }

  stop(): void {
    void this.#looks.stop();
  }

  look(): void {
    const now = new Map(this.#options.carriers().map((carrier) => [carrier.name, carrier.status()]));
    for (const [carrier, status] of now) this.#tell(carrier, this.#told.get(carrier), status);
    this.#told = now;
  }

  /** While a carrier stays down, a new reason is logged. What slows a carrier that is up shows in its figures. */
  #tell(carrier: string, last: CarrierStatus | undefined, { state, reason }: CarrierStatus): void {
    if (state === 'starting' || (state === last?.state && (state === 'up' || reason === last.reason))) return;
    if (state === 'up') this.#options.log.info({ carrier }, 'the carrier is up');
    else this.#options.log.warn({ carrier, reason }, 'the carrier is down');
  }
}
