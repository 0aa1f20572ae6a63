/**
 * What the carrier itself saw of each message, independently of the server's records: evidence of duplicate sending.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Handed {
  /** When the message's first part was first handed to a carrier. */
  readonly firstAt: number;
  /** How often the message's most repeated part was handed over without being given back. */
  readonly times: number;
  /** How many times a part was accepted. */
  readonly accepted: number;
}

export class CarrierLedger {
  readonly #folder = mkdtempSync(join(tmpdir(), 'carillon-ledger-'));

  /** The environment of every server whose carriers are recorded; several servers may share a ledger. */
  get env(): Readonly<Record<string, string>> {
    return { CARRIER_LEDGER: this.#file };
  }

  /** By message id: the messages of which a carrier may have sent some part. */
  read(): ReadonlyMap<string, Handed> {
    const text = existsSync(this.#file) ? readFileSync(this.#file, 'utf8') : '';
    const messages = new Map<string, { firstAt: number; accepted: number; parts: Map<string, number> }>();
    for (const line of text.split('\n')) {
      const [what, time, id = '', part = '', end] = line.split(' ');
      if (end !== 'end') continue;
      const message = messages.get(id) ?? { firstAt: Number(time), accepted: 0, parts: new Map() };
      messages.set(id, message);
      if (what === 'accepted') message.accepted += 1;
      const change = what === 'out' ? 1 : what === 'retryAt' || what === 'givenBack' ? -1 : 0;
      message.parts.set(part, (message.parts.get(part) ?? 0) + change);
    }
    const handed = [...messages].map(([id, { firstAt, accepted, parts }]): [string, Handed] => [
      id,
      { firstAt, accepted, times: Math.max(...parts.values()) },
    ]);
    return new Map(handed.filter(([, { times }]) => times > 0));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #file(): string {
    return join(this.#folder, 'ledger');
  }
}
