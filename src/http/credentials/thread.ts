/**
 * The thread in which large bodies are looked through for credentials alone, before anybody knows whose they are: what
 * strangers send, however much, takes no time from those who are known.
 */
import { answerCalls } from '../../foundation/thread.ts';
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

export interface Found {
  readonly fields: JsonObject;
  /** The body itself, given back. */
  readonly blocks: Blocks;
}

export const credentialNames: ReadonlySet<string> = new Set(credentialFields);

export function runCredentialThread(): void {
  const turns = new Turns();
  const wanted = new Set<number>();
  answerCalls(
    async ({ number, blocks, length, owner }: Ask): Promise<Found> => {
      if (blocks === undefined) {
        wanted.delete(number);
        return { fields: {}, blocks: [] };
      }
      wanted.add(number);
      const picking = pickFields(new Body(blocks, length), credentialNames);
      try {
        const fields = await turns.run(owner, picking, () => wanted.has(number));
        return { fields: { ...fields }, blocks };
      } finally {
        wanted.delete(number);
      }
    },
    ({ blocks }) => blocks.map(({ buffer }) => buffer),
  );
}
