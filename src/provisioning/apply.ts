/** Applies a provisioning file: all of it or, with any fault, nothing. */
import { Passwords } from '../accounts/password.ts';
import type { Actor } from '../audit/audit-log.ts';
import { listBooksManagedBy } from '../contacts/managed-contacts.ts';
import type { Clock } from '../foundation/clock.ts';
import { StartError } from '../foundation/errors.ts';
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
import { Comparison, check, scopeOf } from './compare.ts';
import { type ProvisioningFile, readPlan, readProvisioningFile } from './file.ts';
import { type Edits, kinds, ofKind, type Plan } from './kind-list.ts';
import type { Audience } from './objects/kind.ts';
import type { Planned } from './objects/planned.ts';
import { applyPlan, readLastApplied, readState, rememberApplied } from './store.ts';

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
  const comparison = new Comparison(plan, state, source);
  const storeFaults = [
    ...check(comparison),
    ...(await secretFaults(comparison)),
    ...(await memberFaults(store, plan)),
  ];
  if (faults.length + storeFaults.length > 0) return refused([...faults, ...storeFaults]);

  const warnings = warningsOf(plan).map(lineOf);
  const resolved = await protectedPlan(comparison, sealing);
  const foreseen = new Comparison(resolved, state, source).edits;
  if (dryRun) {
    const books = state.objects.addressBooks;
    const contactLines = await applyContacts(store, plan, { source, dryRun, books, managing: [] });
    return { kind: 'applied', lines: [...describe(foreseen, audience), ...contactLines], warnings };
  }
  const file = given.path === undefined ? undefined : { path: given.path, contentHash: given.contentHash };
  // What it removes may have been made again since: only a file that is applied may empty it.
  if (when === 'contentChanged' && file !== undefined) {
    const last = await store.read(readLastApplied, file.path);
    if (last === file.contentHash) return { kind: 'skipped' };
  }
  const emptied = await emptyRemovedBooks(store, foreseen);
  const now = clock.now();
  const managing = source === undefined ? [] : await store.read(listBooksManagedBy, source);
  const isUnfinished = hasContacts(plan) || managing.length > 0;
  const by = given.path === undefined ? given.by : undefined;
  // The store compares again: somebody else may have changed it meanwhile.
  const order = { plan: withoutContacts(resolved), when, file, now, by, isUnfinished };
  const applied = await store.write(applyPlan, order);
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

/** Passwords hashed at once: Node has so many threads for them; a big file waits as long as it takes. */
const hashedAtOnce = 4;

async function secretFaults(comparison: Comparison): Promise<readonly Fault[]> {
  const passwords = new Passwords(hashedAtOnce);
  const faults = kinds.flatMap((kind) => {
    const before = comparison.before(kind);
    return ofKind<Planned>(comparison.plan, kind)
      .filter(({ remove }) => !remove)
      .map((item) => kind.secretFaults?.(item, before.get(kind.keyOf(item)), passwords) ?? []);
  });
  return (await Promise.all(faults)).flat();
}

/** The plan with its secrets hashed and sealed, before it goes to the store. What is stored and says the same is kept. */
async function protectedPlan(comparison: Comparison, sealing: Sealing): Promise<Plan> {
  const { plan } = comparison;
  const tools = { passwords: new Passwords(hashedAtOnce), sealing };
  const sections = kinds.map(async (kind) => {
    const { protect } = kind;
    const asked = ofKind<Planned>(plan, kind);
    if (protect === undefined) return [kind.section, asked] as const;
    const before = comparison.before(kind);
    const done = asked.map((item) =>
      item.remove ? item : protect(item, before.get(kind.keyOf(item)), tools),
    );
    return [kind.section, await Promise.all(done)] as const;
  });
  return { ...plan, ...Object.fromEntries(await Promise.all(sections)) };
}

/**
 * The file of CARILLON_PROVISION, only when it is news: later changes by other means are kept. What changed, a line for
 * each object, for the log: without texts and the addresses of e-mail senders. A file with faults stops the start.
 */
export async function provisionAtStart(
  surroundings: Surroundings,
  path: string,
  warn: (warning: string) => void,
): Promise<readonly string[]> {
  const file = readProvisioningFile(path);
  const last = await surroundings.store.read(readLastApplied, file.path);
  if (last === file.contentHash) return [];
  const result = await applyFile(surroundings, file, { when: 'contentChanged', audience: 'log' });
  if (result.kind === 'skipped') return [];
  if (result.kind === 'applied') {
    for (const warning of result.warnings) warn(warning);
    return result.lines;
  }
  throw new StartError(
    `CARILLON_PROVISION names the file ${path}, of which nothing was applied for its faults:\n${result.lines.join('\n')}`,
  );
}
