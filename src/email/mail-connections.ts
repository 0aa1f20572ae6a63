/** Bounds what connections may hold of this server, however slow or hostile those at their other ends are. */
import { networkOf } from '../accounts/network-of.ts';

export interface MailConnectionLimits {
  readonly maxConnections: number;
  /** Of one network, unless it is trusted. */
  readonly maxPerNetwork: number;
  /** However lively: a mail of a megabyte over a slow line takes a minute, and servers come again. */
  readonly maxLifeMs: number;
}

export const standardMailConnectionLimits: MailConnectionLimits = {
  maxConnections: 200,
  maxPerNetwork: 20,
  maxLifeMs: 600_000,
};

/** What is being worked on is answered first. */
const answerMs = 15_000;

interface Life {
  readonly network: string;
  timer: NodeJS.Timeout;
  isWorking: boolean;
}

export class MailConnections {
  readonly #limits: MailConnectionLimits;
  readonly #lives = new Map<string, Life>();
  readonly #networks = new Map<string, number>();

  constructor(limits: MailConnectionLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#lives.size;
  }

  /** False: its network has as many as it may. `end` is called when its time is over. */
  begin(
    id: string,
    from: { readonly address: string; readonly isTrusted: boolean },
    end: () => void,
  ): boolean {
    const network = from.isTrusted ? '' : networkOf(from.address);
    const count = this.#networks.get(network) ?? 0;
    if (!from.isTrusted && count >= this.#limits.maxPerNetwork) return false;
    this.#networks.set(network, count + 1);
    const over = () => {
      const life = this.#lives.get(id);
      if (life?.isWorking) life.timer = setTimeout(over, answerMs).unref();
      else end();
    };
    const timer = setTimeout(over, this.#limits.maxLifeMs).unref();
    this.#lives.set(id, { network, timer, isWorking: false });
    return true;
  }

  isWorking(id: string): boolean {
    return this.#lives.get(id)?.isWorking ?? false;
  }

  working(id: string, isWorking: boolean): void {
    const life = this.#lives.get(id);
    if (life !== undefined) life.isWorking = isWorking;
  }

  end(id: string): void {
    const life = this.#lives.get(id);
    if (life === undefined) return;
    clearTimeout(life.timer);
    this.#lives.delete(id);
    const left = (this.#networks.get(life.network) ?? 1) - 1;
    if (left === 0) this.#networks.delete(life.network);
    else this.#networks.set(life.network, left);
  }
}
