/**
 * Compares a list of contacts with the contacts in the book: finds the contact that each entry refers to, and what would
 * change.
 */
import { type Contact, type ContactChange, contactAfter, type Tag, tagKey } from './contact.ts';

export interface StoredContact extends Contact {
  readonly id: number;
  /** The path of the provisioning file that names the contact; undefined when there is none. */
  readonly managedBy: string | undefined;
}

/** The actual or possible outcome of a change. `absent` means that a contact to be removed does not exist. */
export type ContactOutcome = 'created' | 'changed' | 'unchanged' | 'removed' | 'absent';

export interface ContactEdit {
  readonly outcome: ContactOutcome;
  readonly before: StoredContact | undefined;
  readonly after: Contact | undefined;
}

/** `stored` holds at least the contacts that a change may refer to, in id order. */
export function compareContacts(
  stored: readonly StoredContact[],
  changes: readonly ContactChange[],
): readonly ContactEdit[] {
  const known = new KnownContacts(stored);
  // Ids come first, so that a contact named by id is not matched by someone else's phone number beforehand.
  const named = changes.map((change) => known.takeNamed(change));
  return changes.map((change, index) => {
    const before = named[index] ?? known.takeAlike(change);
    const after = contactAfter(change, before);
    return { before, after, outcome: outcomeOf(before, after) };
  });
}

function outcomeOf(before: Contact | undefined, after: Contact | undefined): ContactOutcome {
  if (after === undefined) return before === undefined ? 'absent' : 'removed';
  if (before === undefined) return 'created';
  return isSame(before, after) ? 'unchanged' : 'changed';
}

const plainFields = ['externalId', 'name', 'phone', 'email', 'app'] as const;

function isSame(before: Contact, after: Contact): boolean {
  return (
    plainFields.every((field) => before[field] === after[field]) &&
    before.tags.length === after.tags.length &&
    before.tags.every((tag, index) => tagKey(tag) === tagKey(after.tags[index] as Tag))
  );
}

/** Finds the contact that a change refers to; each contact is matched by one change only. */
class KnownContacts {
  readonly #byExternalId = new Map<string, StoredContact>();
  readonly #byPhone = new Map<string, StoredContact[]>();
  readonly #byEmail = new Map<string, StoredContact[]>();
  readonly #taken = new Set<number>();

  constructor(contacts: readonly StoredContact[]) {
    for (const contact of contacts) {
      if (contact.externalId !== undefined) this.#byExternalId.set(contact.externalId, contact);
      if (contact.phone !== undefined) listIn(this.#byPhone, contact.phone).push(contact);
      if (contact.email !== undefined) listIn(this.#byEmail, contact.email).push(contact);
    }
  }

  takeNamed({ externalId }: ContactChange): StoredContact | undefined {
    return this.#take(externalId === undefined ? undefined : this.#byExternalId.get(externalId));
  }

  /** Matches by phone number, else by e-mail address. A contact without an id gets one when it is matched by phone number. */
  takeAlike({ externalId, phone, email }: ContactChange): StoredContact | undefined {
    const isFree = (contact: StoredContact) =>
      !this.#taken.has(contact.id) && (externalId === undefined || contact.externalId === undefined);
    if (phone) return this.#take(this.#byPhone.get(phone)?.find(isFree));
    return this.#take(email && externalId === undefined ? this.#byEmail.get(email)?.find(isFree) : undefined);
  }

  #take(contact: StoredContact | undefined): StoredContact | undefined {
    if (contact === undefined || this.#taken.has(contact.id)) return undefined;
    this.#taken.add(contact.id);
    return contact;
  }
}

function listIn(lists: Map<string, StoredContact[]>, key: string): StoredContact[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
