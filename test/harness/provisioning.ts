/** Applies provisioning files in tests of their effects. */

import { expect } from 'vitest';
import { systemClock } from '../../src/foundation/clock.ts';
import { Sealing } from '../../src/foundation/sealing.ts';
import { type ApplyOptions, type ApplyResult, applyFile } from '../../src/provisioning/apply.ts';
import type { Named } from '../../src/provisioning/objects/kind.ts';
import type { Store } from '../../src/storage/store.ts';

interface Options extends ApplyOptions {
  /** The path of the provisioning file. */
  readonly path?: string;
}

/** `store` is called each time, because most tests use a fresh store. */
export function provisioningOf(store: () => Store) {
  function apply(
    content: string,
    { path = '/etc/carillon.yaml', ...options }: Options = {},
  ): Promise<ApplyResult> {
    const file = { path, content, contentHash: content };
    return applyFile(
      { store: store(), clock: systemClock, sealing: new Sealing('of a test') },
      file,
      options,
    );
  }

  async function linesAs(
    kind: 'applied' | 'refused',
    content: string,
    options?: Options,
  ): Promise<readonly string[]> {
    const result = await apply(content, options);
    expect(result).toMatchObject({ kind });
    return result.kind === 'skipped' ? [] : result.lines;
  }

  return {
    apply,
    /** The changes; the file must be applicable. */
    linesOf: (content: string, options?: Options) => linesAs('applied', content, options),
    /** Why the file is refused; it must be. */
    faultsOf: (content: string) => linesAs('refused', content),
  };
}

/** The part of a plan that names these objects of one kind. */
export function named(...keys: readonly string[]): Named {
  return { keys, ids: [], removed: [] };
}
