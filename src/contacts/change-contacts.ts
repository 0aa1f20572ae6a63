/** Brings many contacts of a book in line with a list, in sets small enough that no one else waits long for the store. */
import { ServiceError } from '../foundation/errors.ts';
import type { Store } from '../storage/store.ts';
import { type ContactChange, keyOf, marksOf } from './contact.ts';
import { changeContacts, previewContacts, removeSomeContacts } from './contact-store.ts';
import type { ContactOutcome } from './known-contacts.ts';
import { listManagedBy, releaseManaged } from './managed-contacts.ts';

const maxListedIds = 10;

/** Contacts per transaction: with their tags about 2,000 rows, which take SQLite about 10 ms. */
const setSize = 300;

interface ChangeOptions {
  /** Reports what would change, and changes nothing. */
  readonly dryRun?: boolean;
  /** Called after each set with the number of contacts processed so far. */
  readonly onProgress?: ((done: number) => void) | undefined;
  /** The path of the provisioning file with this list, which manages the contacts from then on. */
  readonly source?: string | undefined;
}

/**
 * A crash leaves some sets changed and the others not; applying the same list again does the rest. `bookId` is undefined in a
 * dry run for a book that does not exist yet.
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
  throw new ServiceError('not_found', 'The address book has been removed.');
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

  /** `2 created (9001, 9002), 1 removed`: a summary with the ids of a few contacts and no other personal data. */
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

/**
 * Contacts that the file no longer names stay, but are no longer managed. `named` lists all contacts of the book that
 * the file names.
 */
export async function releaseContacts(
  store: Store,
  bookId: number,
  source: string,
  named: readonly ContactChange[],
): Promise<void> {
  // People may share a phone number, so a contact is matched only by the key that the file uses for it.
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

/** Removes all contacts from a book that is to be removed; returns how many there were. */
export async function removeAllContacts(store: Store, bookId: number): Promise<number> {
  let all = 0;
  for (;;) {
    const removed = await store.write(removeSomeContacts, { bookId, limit: setSize });
    all += removed;
    if (removed < setSize) return all;
  }
}
