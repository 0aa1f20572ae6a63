/** Applies a provisioning file: all of it or, with any fault, nothing. */
import type { Clock } from '../foundation/clock.ts';
import type { Store } from '../storage/store.ts';
import { checkAgainstStore } from './check-store.ts';
import { compare } from './compare.ts';
import { describe } from './describe.ts';
import { type Fault, faultLine, sortedFaults } from './fault.ts';
import { readPlan } from './file.ts';
import type { ProvisioningFile } from './read-file.ts';
import { resolvePasswords } from './resolve-passwords.ts';
import { type ApplyInput, applyPlan, readState, scopeOf } from './store.ts';

export type ApplyResult =
  /** What changed, or would change on a dry run: a line for each object. */
  | { readonly kind: 'applied'; readonly lines: readonly string[] }
  /** A line for each fault. */
  | { readonly kind: 'refused'; readonly lines: readonly string[] }
  /** The same content was the last to be applied from this path. */
  | { readonly kind: 'skipped' };

export interface Surroundings {
  readonly store: Store;
  readonly clock: Clock;
}

interface ApplyOptions {
  /** Tells what would change, and changes nothing. */
  readonly dryRun?: boolean;
  readonly when?: 'always' | 'contentChanged';
}

export async function applyFile(
  { store, clock }: Surroundings,
  file: ProvisioningFile,
  { dryRun = false, when = 'always' }: ApplyOptions = {},
): Promise<ApplyResult> {
  const { plan, faults } = readPlan(file.content);
  if (plan === undefined) return refused(faults);
  const state = await store.read(readState, scopeOf(plan));
  const storeFaults = checkAgainstStore(plan, compare(plan, state), state);
  if (faults.length + storeFaults.length > 0) return refused([...faults, ...storeFaults]);

  const resolved = await resolvePasswords(plan, state);
  if (dryRun) return { kind: 'applied', lines: describe(compare(resolved, state)) };
  const { path, contentHash } = file;
  const input: ApplyInput = { plan: resolved, when, file: { path, contentHash }, now: clock.now() };
  // The store compares again: somebody else may have changed it meanwhile.
  const applied = await store.write(applyPlan, input);
  if (applied.kind === 'applied') return { kind: 'applied', lines: describe(applied.edits) };
  return applied.kind === 'refused' ? refused(applied.faults) : applied;
}

function refused(faults: readonly Fault[]): ApplyResult {
  return { kind: 'refused', lines: sortedFaults(faults).map(faultLine) };
}
