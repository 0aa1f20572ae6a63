/** Applies a provisioning file completely or, with any fault, not at all. */
import { Passwords } from '../accounts/password.ts';
import type { Actor } from '../audit/audit-log.ts';
import { type BookRecord, bookKeyOf, contactMember } from '../contacts/book-records.ts';
import { changeManyContacts, releaseContacts, removeAllContacts } from '../contacts/change-contacts.ts';
import type { ContactChange } from '../contacts/contact.ts';
import { findExternalIds, listBooksManagedBy } from '../contacts/managed-contacts.ts';
import { StartError } from '../foundation/errors.ts';
import type { Sealing } from '../foundation/sealing.ts';
import type { Context } from '../storage/context.ts';
import type { Store } from '../storage/store.ts';
import { type Fault, faultLine, sortedFaults } from '../yaml/fault.ts';
import { Comparison, check, scopeOf } from './compare.ts';
import { type ProvisioningFile, readPlan, readProvisioningFile } from './file.ts';
import { type StaleSender, staleFault, staleSenders } from './foreign-senders.ts';
import { type Edits, kinds, ofKind, type Plan } from './kind-list.ts';
import type { AddressBookPlan } from './kinds/address-books.ts';
import type { Audience } from './objects/kind.ts';
import type { Planned } from './objects/planned.ts';
import { applyPlan, readLastApplied, readState, rememberApplied } from './store.ts';

export type ApplyResult =
  /** One line for each object that changed, or would change on a dry run. */
  | {
      readonly kind: 'applied';
      readonly lines: readonly string[];
      /** One line for each thing that is allowed but may not be intended. */
      readonly warnings: readonly string[];
    }
  /** A line for each fault, and for what was done nevertheless. */
  | { readonly kind: 'refused'; readonly lines: readonly string[] }
  /** Nothing was done, since the file last applied from this path had the same content. */
  | { readonly kind: 'skipped' };

export interface Surroundings extends Context {
  readonly sealing: Sealing;
}

/** A command expressed in the words of a file. No file sets its keys, so whatever it leaves out stays as it is. */
export interface ProvisioningText {
  readonly content: string;
  readonly path?: undefined;
  readonly by: Actor;
}

export interface ApplyOptions {
  /** Whether to report what would change, and change nothing. */
  readonly dryRun?: boolean;
  readonly when?: 'always' | 'contentChanged';
  /** Who the result is written for. */
  readonly audience?: Audience;
  /** How a fault or warning is worded. */
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
  const scope = scopeOf(plan);
  const source = given.path;
  const state = await store.read(readState, scope);
  const comparison = new Comparison(plan, state, source);
  const storeFaults = [
    ...check(comparison),
    ...(await slowFaults(comparison)),
    ...(await memberFaults(store, plan)),
  ];
  if (faults.length + storeFaults.length > 0) return refused([...faults, ...storeFaults]);

  const warningLines = (stale: readonly StaleSender[]) =>
    [...warningsOf(plan), ...stale.map((one) => staleFault(one, audience))].map(lineOf);
  const resolved = await protectedPlan(comparison, sealing);
  const expected = new Comparison(resolved, state, source).edits;
  if (dryRun) {
    const warnings = warningLines(await staleSenders(comparison, (whole) => store.read(readState, whole)));
    const books = state.objects.addressBooks;
    const contactLines = await applyContacts(store, plan, { source, dryRun, books, managing: [] });
    return { kind: 'applied', lines: [...describe(expected, audience), ...contactLines], warnings };
  }
  const file = given.path === undefined ? undefined : { path: given.path, contentHash: given.contentHash };
  // Books may be emptied only for a file that is actually applied: whatever it removed when it was last applied may have been
  // created again since.
  if (when === 'contentChanged' && file !== undefined) {
    const last = await store.read(readLastApplied, file.path);
    if (last === file.contentHash) return { kind: 'skipped' };
  }
  const emptied = await emptyRemovedBooks(store, expected);
  const now = clock.now();
  const managing = source === undefined ? [] : await store.read(listBooksManagedBy, source);
  const isUnfinished = managing.length > 0 || booksOf(plan).some(({ contacts }) => contacts.length > 0);
  const by = given.path === undefined ? given.by : undefined;
  // The store compares once more, since it may have changed meanwhile.
  const order = { plan: withoutContacts(resolved), when, file, now, by, isUnfinished };
  const applied = await store.write(applyPlan, order);
  if (applied.kind === 'refused') return refused(applied.faults, emptied);
  if (applied.kind === 'skipped') return applied;
  const lines = describe(applied.edits, audience);
  const warnings = warningLines(applied.stale);
  if (!isUnfinished) return { kind: 'applied', lines, warnings };
  const { objects } = await store.read(readState, scope);
  const books = objects.addressBooks;
  const contactLines = await applyContacts(store, plan, { source, dryRun, books, managing });
  if (file !== undefined) await store.write(rememberApplied, { file, now });
  return { kind: 'applied', lines: [...lines, ...contactLines], warnings };
}

/**
 * Applies the file of CARILLON_PROVISION only when it is new, so that later changes by other means are kept. Returns what
 * changed for the log, with a line for each object but without texts and e-mail sender addresses. A file with faults stops
 * the start.
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
    `The provisioning file ${path} (CARILLON_PROVISION) has faults. Nothing was applied:\n${result.lines.join('\n')}`,
  );
}

/** One line for each edit. */
function describe(edits: Edits, audience: Audience): readonly string[] {
  return kinds.flatMap((kind) => kind.describe(ofKind(edits, kind), audience));
}

function warningsOf(plan: Plan): readonly Fault[] {
  return kinds.flatMap((kind) =>
    ofKind<Planned>(plan, kind).flatMap((asked) => kind.warnings?.(asked) ?? []),
  );
}

/** How many passwords are hashed at a time: Node has that many threads for them; a large file takes as long as it needs. */
const maxConcurrentHashes = 4;

async function slowFaults(comparison: Comparison): Promise<readonly Fault[]> {
  const passwords = new Passwords(maxConcurrentHashes);
  const faults = kinds.flatMap((kind) => {
    const before = comparison.before(kind);
    return ofKind<Planned>(comparison.plan, kind)
      .filter(({ remove }) => !remove)
      .map((item) => kind.slowFaults?.(item, before.get(kind.keyOf(item)), passwords) ?? []);
  });
  return (await Promise.all(faults)).flat();
}

/** The plan with its secrets hashed and sealed, before it goes to the store. A stored secret with the same value is kept. */
async function protectedPlan(comparison: Comparison, sealing: Sealing): Promise<Plan> {
  const { plan } = comparison;
  const tools = { passwords: new Passwords(maxConcurrentHashes), sealing };
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

/** The books that are not removed. They may have many contacts, which are written in sets after everything else. */
function booksOf(plan: Plan): readonly AddressBookPlan[] {
  return plan.addressBooks.filter(({ remove }) => !remove);
}

/** The form in which the store's thread gets the plan. */
function withoutContacts(plan: Plan): Plan {
  return { ...plan, addressBooks: plan.addressBooks.map((book) => ({ ...book, contacts: [] })) };
}

/** Group members that are given as contacts but are neither in the file nor in the store. */
async function memberFaults(store: Store, plan: Plan): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for (const { company, name, groups, contacts } of booksOf(plan)) {
    const members = [...groups.values()].flatMap(({ value = [], place }) =>
      value.flatMap((member) => {
        const [, externalId] = contactMember.exec(member) ?? [];
        return externalId === undefined ? [] : [{ externalId, place }];
      }),
    );
    if (members.length === 0) continue;
    const inFile = (remove: boolean) =>
      contacts.filter(({ change }) => change.remove === remove).map(({ change }) => change.externalId);
    const externalIds = members.map(({ externalId }) => externalId);
    const known = new Set<string | undefined>(
      await store.read(findExternalIds, { company, book: name, externalIds }),
    );
    for (const id of inFile(true)) known.delete(id);
    for (const id of inFile(false)) known.add(id);
    for (const { externalId, place } of members) {
      if (known.has(externalId)) continue;
      faults.push({ place, sentence: `the address book "${name}" has no contact with the id ${externalId}` });
    }
  }
  return faults;
}

/**
 * Books to be removed are emptied first, in sets. Returns a line for each that had contacts, in case the rest is refused
 * after all.
 */
async function emptyRemovedBooks(store: Store, { addressBooks }: Edits): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const { before, after } of addressBooks) {
    if (after !== undefined || before?.id === undefined) continue;
    const count = await removeAllContacts(store, before.id);
    if (count === 0) continue;
    const contacts = count === 1 ? '1 contact' : `${count} contacts`;
    lines.push(
      `- ${contacts} of ${before.name} in ${before.company} (removed before the rest of the file was refused; the address book itself is still there)`,
    );
  }
  return lines;
}

interface ContactsOptions {
  /** The books as they are after everything else has been applied. */
  readonly books: readonly BookRecord[];
  readonly dryRun: boolean;
  /** The path of the file; undefined when there is none. */
  readonly source: string | undefined;
  /** The ids of the books in which the file has managed contacts so far. */
  readonly managing: readonly number[];
}

/** Returns a line for each book whose contacts change. */
async function applyContacts(
  store: Store,
  plan: Plan,
  { books, dryRun, source, managing }: ContactsOptions,
): Promise<readonly string[]> {
  const ids = new Map(books.map((book) => [bookKeyOf(book), book.id]));
  const lines: string[] = [];
  const named = new Map<number, readonly ContactChange[]>();
  for (const book of booksOf(plan)) {
    if (!('contacts' in book.fieldPlaces)) continue;
    const changes = book.contacts.map(({ change }) => change);
    const bookId = ids.get(bookKeyOf(book));
    const counts = await changeManyContacts(store, bookId, changes, { dryRun, source });
    if (bookId !== undefined) named.set(bookId, changes);
    const what = counts.describe();
    if (what !== '') lines.push(`~ contacts of ${book.name} in ${book.company}: ${what}`);
  }
  if (source !== undefined && !dryRun)
    for (const bookId of managing) await releaseContacts(store, bookId, source, named.get(bookId) ?? []);
  return lines;
}
