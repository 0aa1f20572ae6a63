/** Brings many contacts of a book to what a list says, in sets small enough that nobody else waits long for the store. */
import { ServiceError } from '../foundation/errors.ts';
import type { Store } from '../storage/store.ts';
import { type ContactChange, keyOf, marksOf } from './contact.ts';
import { changeContacts, previewContacts, removeSomeContacts } from './contact-store.ts';
import type { ContactOutcome } from './known-contacts.ts';
import { listManagedBy, releaseManaged } from './managed-contacts.ts';

const maxListedIds = 10;

/** Contacts in a transaction: with their tags some 2,000 rows, which take SQLite about 10 ms. */
const setSize = 300;

interface ChangeOptions {
  /** Tells what would change, and changes nothing. */
  readonly dryRun?: boolean;
  /** Called after each set with the number of contacts dealt with so far. */
  readonly onProgress?: ((done: number) => void) | undefined;
  /** The path of the provisioning file that says so, which manages them from then on. */
  readonly source?: string | undefined;
}

/**
 * A crash leaves some sets changed and the others not; the same list applied again does the rest. `bookId` is undefined
 * on a dry run for a book that is still to be made.
 */
export async function changeManyContacts(
  store: Store,
  bookId: number | undefined,
  changes: readonly ContactChange[],
  { dryRun = false, onProgress, source }: ChangeOptions = {},
): Promise<ContactCounts> {
  const counts = new ContactCounts();
  for (let start = 0; start < changes.length; start += setSize) {
    const set = changes.slice(start, start + setSize);
    counts.add(set, await outcomesOf(store, bookId, set, { dryRun, source }));
    onProgress?.(start + set.length);
  }
  return counts;
}

async function outcomesOf(
  store: Store,
  bookId: number | undefined,
  changes: readonly ContactChange[],
  { dryRun, source }: Pick<ChangeOptions, 'dryRun' | 'source'>,
): Promise<readonly ContactOutcome[]> {
  if (bookId === undefined) return changes.map(({ remove }) => (remove ? 'absent' : 'created'));
  if (dryRun === true) return store.read(previewContacts, { bookId, changes });
  const outcomes = await store.write(changeContacts, { bookId, changes, source });
  if (outcomes !== 'unknownBook') return outcomes;
  throw new ServiceError('not_found', 'The address book was removed meanwhile.');
}

export class ContactCounts {
  readonly #counts: Record<ContactOutcome, number> = {
    created: 0,
    changed: 0,
    unchanged: 0,
    removed: 0,
    absent: 0,
  };
  readonly #firstIds: Partial<Record<ContactOutcome, string[]>> = {};

  add(changes: readonly ContactChange[], outcomes: readonly ContactOutcome[]): void {
    for (const [index, outcome] of outcomes.entries()) {
      this.#counts[outcome] += 1;
      const id = changes[index]?.externalId;
      if (id === undefined || this.#counts[outcome] > maxListedIds) continue;
      this.#firstIds[outcome] ??= [];
      this.#firstIds[outcome].push(id);
    }
  }

  count(outcome: ContactOutcome): number {
    return this.#counts[outcome];
  }

  /** `2 created (9001, 9002), 1 removed`: what changed, with the ids of a few and no other data of theirs. */
  describe(): string {
    return (['created', 'changed', 'removed'] as const)
      .filter((outcome) => this.#counts[outcome] > 0)
      .map((outcome) => {
        const count = this.#counts[outcome];
        const ids = this.#firstIds[outcome] ?? [];
        const named = ids.length === 0 || count > maxListedIds ? '' : ` (${ids.join(', ')})`;
        return `${count} ${outcome}${named}`;
      })
      .join(', ');
  }
}

/** Those that a file named before and names no more stay, as anybody's. `named`: all that it names in the book. */
export async function releaseContacts(
  store: Store,
  bookId: number,
  source: string,
  named: readonly ContactChange[],
): Promise<void> {
  // People may share a phone number: only what the file knows a contact by names it.
  const keys = new Set(named.map(keyOf));
  let afterId = 0;
  for (;;) {
    const page = await store.read(listManagedBy, { bookId, source, afterId, limit: setSize });
    const last = page.at(-1);
    if (last === undefined) return;
    const ids = page
      .filter((contact) => !marksOf(contact).some((mark) => keys.has(mark)))
      .map(({ id }) => id);
    if (ids.length > 0) await store.write(releaseManaged, { bookId, source, ids });
    afterId = last.id;
  }
}

/** Takes all contacts out of a book that is to go; tells how many there were. */
export async function removeAllContacts(store: Store, bookId: number): Promise<number> {
  let all = 0;
  for (;;) {
    const removed = await store.write(removeSomeContacts, { bookId, limit: setSize });
    all += removed;
    if (removed < setSize) return all;
  }
}
