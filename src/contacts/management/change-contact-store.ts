/** Writes one contact at a time, for manual changes, without overwriting another user's change or a file's values. */
import { byUser, recordAct } from '../../audit/audit-log.ts';
import { type IfMatch, isMatch } from '../../foundation/if-match.ts';
import { singleWriteVerb, type Transaction } from '../../storage/verb.ts';
import { lockBook } from '../book-records.ts';
import {
  type Contact,
  type ContactChange,
  contactAfter,
  keyOf,
  ListedContacts,
  versionOf,
} from '../contact.ts';
import { findContacts, readContacts, writeEdits } from '../contact-store.ts';
import type { StoredContact } from '../known-contacts.ts';
import type { BookChange } from './visible-books.ts';

export interface OneContact extends BookChange {
  /** Undefined for a new contact. */
  readonly id: number | undefined;
  readonly change: ContactChange;
  readonly ifMatch: IfMatch;
}

export type Refusal =
  /** `unknownBy` means that nothing would identify the contact. */
  | { readonly kind: 'notFound' | 'managed' | 'unknownBy' }
  /** The current contact. */
  | { readonly kind: 'changedMeanwhile'; readonly now: StoredContact }
  /** Another contact has the same identifying value. */
  | { readonly kind: 'taken'; readonly what: string; readonly by: string };

export type Written = { readonly kind: 'written'; readonly contact: StoredContact | undefined } | Refusal;

export const writeContact = singleWriteVerb(
  'contacts.writeOne',
  async (transaction, one: OneContact): Promise<Written> => {
    const { bookId, id, change, ifMatch } = one;
    if (!(await lockBook(transaction, bookId))) return { kind: 'notFound' };
    const [before] = id === undefined ? [] : await readContacts(transaction, bookId, [id]);
    if (id !== undefined && before === undefined) return { kind: 'notFound' };
    if (before?.managedBy !== undefined) return { kind: 'managed' };
    if (before !== undefined && !isMatch(ifMatch, versionOf(before)))
      return { kind: 'changedMeanwhile', now: before };
    const after = contactAfter(change, before);
    if (after !== undefined && keyOf(asChange(after)) === undefined) return { kind: 'unknownBy' };
    const twin = after && (await findTwin(transaction, bookId, id, after));
    if (twin !== undefined) return { kind: 'taken', ...twin };
    if (before !== undefined && after !== undefined && versionOf(before) === versionOf(after))
      return { kind: 'written', contact: before };
    const outcome = after === undefined ? 'removed' : before === undefined ? 'created' : 'changed';
    const [made] = await writeEdits(transaction, bookId, [{ outcome, before, after }]);
    const contact = made ?? (before && after && { ...after, id: before.id, managedBy: undefined });
    await recordAct(transaction, {
      companyId: one.companyId,
      at: one.now,
      by: byUser(one),
      act: ({ created: 'contact.make', changed: 'contact.change', removed: 'contact.remove' } as const)[
        outcome
      ],
      object: String(contact?.id ?? id),
      details: { sentence: 'in_book', book: bookId },
    });
    return { kind: 'written', contact };
  },
);

function asChange(contact: Contact): ContactChange {
  return { ...contact, remove: false };
}

/** Follows the rules for lists: people may share a phone if each of them has an id. */
async function findTwin(
  transaction: Transaction,
  bookId: number,
  id: number | undefined,
  after: Contact,
): Promise<{ readonly what: string; readonly by: string } | undefined> {
  const listed = new ListedContacts<string>();
  const own = asChange(after);
  for (const other of await findContacts(transaction, bookId, [own]))
    if (other.id !== id) listed.add(asChange(other), other.name || String(other.id));
  const twin = listed.add(own, '');
  return twin && { what: twin.what, by: twin.place };
}
