/**
 * Logs when and why a carrier comes up or goes down, and damaged input from it, so that nobody has to watch the
 * carrier's figures.
 */
import type { Carrier, CarrierStatus } from '../../carriers/carrier.ts';
import { WokenLoop } from '../../foundation/woken-loop.ts';

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
  #reported: ReadonlyMap<string, CarrierStatus> = new Map();
  readonly #checks: WokenLoop;

  constructor(options: CarrierLogOptions) {
    this.#options = options;
    const failed = (error: unknown) =>
      options.log.warn({ error }, 'the state of carriers could not be checked');
    this.#checks = new WokenLoop({ pauseMs: lookEveryMs, failed }, () => this.look());
  }

  start(): void {
    this.#checks.start();
  }

  stop(): void {
    void this.#checks.stop();
  }

  look(): void {
    const now = new Map(this.#options.carriers().map((carrier) => [carrier.name, carrier.status()]));
    for (const [carrier, status] of now) {
      const last = this.#reported.get(carrier);
      // Whether the trial succeeds is news, not the trial.
      if (status.isTrying) now.set(carrier, last ?? status);
      else this.#tell(carrier, last, status);
      this.#tellDamage(carrier, last, status);
    }
    this.#reported = now;
  }

  /** While a carrier is down, each new reason is logged. A slowdown of a carrier that is up shows in its figures. */
  #tell(carrier: string, last: CarrierStatus | undefined, { state, reason }: CarrierStatus): void {
    if (state === 'starting' || (state === last?.state && (state === 'up' || reason === last.reason))) return;
    if (state === 'up') this.#options.log.info({ carrier }, 'the carrier is up');
    else this.#options.log.warn({ carrier, reason }, 'the carrier is down');
  }
  /** Logs one line for everything since the last check, because a faulty peer repeats its fault in thousands of PDUs. */
  #tellDamage(carrier: string, last: CarrierStatus | undefined, { figures, damage }: CarrierStatus): void {
    const damagedPdus = (figures.damagedPdus ?? 0) - (last?.figures.damagedPdus ?? 0);
    if (damagedPdus > 0)
      this.#options.log.warn(
        { carrier, damagedPdus, fault: damage },
        'PDUs of the carrier were accepted without their unreadable parameters',
      );
  }
}
