/** Group commits whose transactions stay open until a test ends them. */
import { type CallResult, GroupCommit, type VerbCall } from '../../src/storage/group-commit.ts';
import { refusable, writeVerb } from '../../src/storage/verb.ts';

export interface Piece {
  readonly name: string;
  readonly weight: number;
}

export const piece = refusable(
  writeVerb(
    'test.piece',
    async (_, inputs: readonly Piece[]) => inputs.map(({ name }) => name),
    ({ weight }) => weight,
  ),
);
export const other = refusable(
  writeVerb('test.other', async (_, inputs: readonly Piece[]) => inputs.map(({ name }) => name)),
);
/** A verb of the node's internal work, which no outside client would retry. */
export const own = writeVerb('test.own', async (_, inputs: readonly Piece[]) =>
  inputs.map(({ name }) => name),
);

export const namesOf = (group: readonly VerbCall[]) => group.map((call) => (call.input as Piece).name);

/** Commits that stay open until the test ends them. */
export class HeldCommits {
  readonly groups: (readonly VerbCall[])[] = [];
  readonly #ends: ((settled?: readonly CallResult[] | Error) => void)[] = [];

  readonly commit = (group: readonly VerbCall[]) => {
    this.groups.push(group);
    return new Promise<readonly CallResult[]>((resolve, reject) => {
      this.#ends.push((settled = group.map((call) => ({ output: (call.input as Piece).name }))) => {
        if (settled instanceof Error) reject(settled);
        else resolve(settled);
      });
    });
  };

  end(index: number, settled?: readonly CallResult[] | Error): Promise<void> {
    this.#ends[index]?.(settled);
    return new Promise((resolve) => setImmediate(resolve));
  }

  get names(): string[][] {
    return this.groups.map(namesOf);
  }
}

export function grouped(
  held: HeldCommits,
  options: Partial<ConstructorParameters<typeof GroupCommit>[0]> = {},
) {
  return new GroupCommit({
    commit: held.commit,
    depth: 1,
    lane: (verb) => verb.name,
    maxGroupWeight: 10,
    maxWaitingWeight: 100,
    ...options,
  });
}
