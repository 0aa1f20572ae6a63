/**
 * Records the results of mails after they were answered: nobody waits for it, and a crash loses what is not written. Only
 * a limited number an hour is kept of strangers, and a few of each network.
 */
import type { Clock } from '../../foundation/clock.ts';
import { networkOf } from '../../http/origin.ts';
import type { Store } from '../../storage/store.ts';
import type { MailToRecord, RecentMail } from './recent-mail.ts';
import { recordMails } from './recent-mail-store.ts';

interface MailRecordsOptions {
  readonly store: Pick<Store, 'write'>;
  readonly clock: Clock;
  readonly log: { warn(details: object, message: string): void };
}

const maxWaiting = 200;
const hourMs = 3_600_000;
const maxOfStrangers = 300;
const maxOfNetwork = 20;

export class MailRecords {
  readonly #options: MailRecordsOptions;
  #waiting: RecentMail[] = [];
  #lost = 0;
  #writing: Promise<void> | undefined;
  #hour = 0;
  #ofStrangers = 0;
  /** At most as many as strangers have records in an hour. */
  readonly #byNetwork = new Map<string, number>();

  constructor(options: MailRecordsOptions) {
    this.#options = options;
  }

  record({ isOfStranger, ...mail }: MailToRecord): void {
    const receivedAt = this.#options.clock.now();
    if (isOfStranger && mail.outcome !== 'sent' && !this.#hasRoom(mail.address, receivedAt)) return;
    if (this.#waiting.length >= maxWaiting) {
      this.#lost += 1;
      return;
    }
    this.#waiting.push({ ...mail, receivedAt });
    this.#writing ??= this.#write();
  }

  /** When all that waits is kept. */
  async stop(): Promise<void> {
    await this.#writing;
  }

  #hasRoom(address: string, now: number): boolean {
    const hour = Math.floor(now / hourMs);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#ofStrangers = 0;
      this.#byNetwork.clear();
    }
    const network = networkOf(address);
    const ofNetwork = this.#byNetwork.get(network) ?? 0;
    if (this.#ofStrangers >= maxOfStrangers || ofNetwork >= maxOfNetwork) return false;
    this.#ofStrangers += 1;
    this.#byNetwork.set(network, ofNetwork + 1);
    return true;
  }

  async #write(): Promise<void> {
    const { store, log } = this.#options;
    while (this.#waiting.length > 0) {
      const mails = this.#waiting;
      this.#waiting = [];
      try {
        await store.write(recordMails, mails);
      } catch (error) {
        this.#lost += mails.length;
        log.warn({ err: error }, 'what became of mails could not be kept');
      }
    }
    if (this.#lost > 0) log.warn({ lost: this.#lost }, 'what became of some mails is not kept');
    this.#lost = 0;
    this.#writing = undefined;
  }
}
