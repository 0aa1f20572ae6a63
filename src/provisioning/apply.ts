/** Applies a provisioning file: all of it or, with any fault, nothing. */
import type { Actor } from '../audit/audit-log.ts';
import { listBooksManagedBy } from '../contacts/managed-contacts.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Sealing } from '../foundation/sealing.ts';
import type { Store } from '../storage/store.ts';
import { type Fault, faultLine, sortedFaults } from '../yaml/fault.ts';
import {
  applyContacts,
  emptyRemovedBooks,
  hasContacts,
  memberFaults,
  withoutContacts,
} from './apply-contacts.ts';
import { check } from './check.ts';
import { compare } from './compare.ts';
import { readPlan } from './file.ts';
import { type Edits, kinds, ofKind, type Plan } from './kind-list.ts';
import type { Audience } from './objects/kind.ts';
import type { Planned } from './objects/planned.ts';
import { protectedPlan, secretFaults } from './protect.ts';
import type { ProvisioningFile } from './read-file.ts';
import { scopeOf } from './scope.ts';
import {
  type AppliedFile,
  type ApplyInput,
  applyPlan,
  readLastApplied,
  readState,
  rememberApplied,
} from './store.ts';

export type ApplyResult =
  /** What changed, or would change on a dry run: a line for each object. */
  | {
      readonly kind: 'applied';
      readonly lines: readonly string[];
      /** What is allowed, but may not be meant, a line each. */
      readonly warnings: readonly string[];
    }
  /** A line for each fault, and for what was done all the same. */
  | { readonly kind: 'refused'; readonly lines: readonly string[] }
  /** The same content was the last to be applied from this path. */
  | { readonly kind: 'skipped' };

export interface Surroundings {
  readonly store: Store;
  readonly clock: Clock;
  readonly sealing: Sealing;
}

/** What a command says in the words of a file. No file has set it: what it leaves out stays as it is. */
export interface ProvisioningText {
  readonly content: string;
  readonly path?: undefined;
  readonly by: Actor;
}

export interface ApplyOptions {
  /** Tells what would change, and changes nothing. */
  readonly dryRun?: boolean;
  readonly when?: 'always' | 'contentChanged';
  /** Who is told. */
  readonly audience?: Audience;
  /** How a fault, or a warning, is told. */
  readonly lineOf?: (fault: Fault) => string;
}

export async function applyFile(
  { store, clock, sealing }: Surroundings,
  given: ProvisioningFile | ProvisioningText,
  { dryRun = false, when = 'always', audience = 'operator', lineOf = faultLine }: ApplyOptions = {},
): Promise<ApplyResult> {
  const { plan, faults } = readPlan(given.content);
  const refused = (all: readonly Fault[], done: readonly string[] = []): ApplyResult => ({
    kind: 'refused',
    lines: [...sortedFaults(all).map(lineOf), ...done],
  });
  if (plan === undefined) return refused(faults);
  const [scope, source] = [scopeOf(plan), given.path];
  const state = await store.read(readState, scope);
  const storeFaults = [
    ...check(compare(plan, state, source), state),
    ...(await secretFaults(plan, state)),
    ...(await memberFaults(store, plan)),
  ];
  if (faults.length + storeFaults.length > 0) return refused([...faults, ...storeFaults]);

  const warnings = warningsOf(plan).map(lineOf);
  const resolved = await protectedPlan(plan, state, sealing);
  const foreseen = compare(resolved, state, source).edits;
  if (dryRun) {
    const contactLines = await applyContacts(store, plan, {
      source,
      dryRun,
      books: state.objects.addressBooks,
      managing: [],
    });
    return { kind: 'applied', lines: [...describe(foreseen, audience), ...contactLines], warnings };
  }
  const file = given.path === undefined ? undefined : { path: given.path, contentHash: given.contentHash };
  // What it removes may have been made again since: only a file that is applied may empty it.
  const isKnown = async ({ path, contentHash }: AppliedFile) =>
    (await store.read(readLastApplied, path)) === contentHash;
  if (when === 'contentChanged' && file !== undefined && (await isKnown(file))) return { kind: 'skipped' };
  const emptied = await emptyRemovedBooks(store, foreseen);
  const now = clock.now();
  const managing = source === undefined ? [] : await store.read(listBooksManagedBy, source);
  const isUnfinished = hasContacts(plan) || managing.length > 0;
  const input: ApplyInput = {
    plan: withoutContacts(resolved),
    when,
    file,
    now,
    by: given.path === undefined ? given.by : undefined,
    isUnfinished,
  };
  // The store compares again: somebody else may have changed it meanwhile.
  const applied = await store.write(applyPlan, input);
  if (applied.kind === 'refused') return refused(applied.faults, emptied);
  if (applied.kind === 'skipped') return applied;
  const lines = describe(applied.edits, audience);
  if (!isUnfinished) return { kind: 'applied', lines, warnings };
  const { objects } = await store.read(readState, scope);
  const books = objects.addressBooks;
  const contactLines = await applyContacts(store, plan, { source, dryRun, books, managing });
  if (file !== undefined) await store.write(rememberApplied, { file, now });
  return { kind: 'applied', lines: [...lines, ...contactLines], warnings };
}

/** A line each. */
function describe(edits: Edits, audience: Audience): readonly string[] {
  return kinds.flatMap((kind) => kind.describe(ofKind(edits, kind), audience));
}

function warningsOf(plan: Plan): readonly Fault[] {
  return kinds.flatMap((kind) =>
    ofKind<Planned>(plan, kind).flatMap((asked) => kind.warnings?.(asked) ?? []),
  );
}
