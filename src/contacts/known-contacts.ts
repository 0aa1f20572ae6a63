/** Compares what a list says of contacts with those that the book holds: which is meant, and what would change. */
import { type Contact, type ContactChange, contactAfter, type Tag, tagKey } from './contact.ts';

export interface StoredContact extends Contact {
  readonly id: number;
  /** The path of the provisioning file that names the contact; undefined: none does. */
  readonly managedBy: string | undefined;
}

/** What became, or would become, of a change. `absent`: to be removed, and not there. */
export type ContactOutcome = 'created' | 'changed' | 'unchanged' | 'removed' | 'absent';

export interface ContactEdit {
  readonly outcome: ContactOutcome;
  readonly before: StoredContact | undefined;
  readonly after: Contact | undefined;
}

/** `stored` holds at least those that a change may mean, in the order of their ids. */
export function compareContacts(
  stored: readonly StoredContact[],
  changes: readonly ContactChange[],
): readonly ContactEdit[] {
  const known = new KnownContacts(stored);
  // Ids first: who is named by one must not be taken for somebody else's phone before.
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

/** Finds the contact that a change means; each contact is meant by one change only. */
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

  /** By the phone number, else the e-mail address. Who had no id so far gets it by the phone number. */
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
