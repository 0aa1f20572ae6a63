/**
 * The thread in which large bodies are looked through for credentials alone, before anybody knows whose they are: what
 * strangers send, however much, takes no time from those who are known.
 */
import { parentPort } from 'node:worker_threads';
import { type CrossingFault, crossing } from '../../foundation/crossing-fault.ts';
import { type TaskOwner, Turns } from '../../foundation/turns.ts';
import { Body } from '../body/body.ts';
import { pickFields } from '../body/json-skim.ts';
import type { JsonObject } from '../parameters/table.ts';
import { credentialFields } from './credentials.ts';

type Blocks = readonly Uint8Array<ArrayBuffer>[];

/** About one body, by its number; without blocks: nobody wants it any more. */
export interface Ask {
  readonly number: number;
  readonly blocks?: Blocks;
  readonly length: number;
  readonly owner: TaskOwner;
}

export interface Told {
  readonly number: number;
  readonly fields?: JsonObject;
  /** The body itself, given back. */
  readonly blocks?: Blocks;
  readonly fault?: CrossingFault;
}

export const credentialNames: ReadonlySet<string> = new Set(credentialFields);

export function runCredentialThread(): void {
  const port = parentPort;
  if (port === null) throw new Error('this file runs as a worker thread only');
  const turns = new Turns();
  const wanted = new Set<number>();
  port.on('message', ({ number, blocks, length, owner }: Ask) => {
    if (blocks === undefined) {
      wanted.delete(number);
      return;
    }
    wanted.add(number);
    const tell = (told: Omit<Told, 'number'>, transfer: ArrayBuffer[] = []): void => {
      if (wanted.delete(number)) port.postMessage({ number, ...told } satisfies Told, transfer);
    };
    turns
      .run(owner, pickFields(new Body(blocks, length), credentialNames), () => wanted.has(number))
      .then(
        (fields) =>
          tell(
            { fields: { ...fields }, blocks },
            blocks.map(({ buffer }) => buffer),
          ),
        (error: unknown) => tell({ fault: crossing(error) }),
      );
  });
}
