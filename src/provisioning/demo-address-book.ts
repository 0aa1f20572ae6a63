/** The address book of the company of a first start: a few people with tags, a saved filter and a group to send to. */
import { changeManyContacts } from '../contacts/change-contacts.ts';
import type { ContactChange } from '../contacts/contact.ts';
import type { Store } from '../storage/store.ts';

/** Its people are written by `addDemoContacts`. */
export const demoAddressBook = { id: 11, name: 'Staff' } as const;

/** Numbers of the series that the Swedish regulator keeps free for films and books; addresses of a domain for examples. */
const people: readonly Person[] = [
  { externalId: '9001', name: 'Anna Berg', phone: '46701740620', role: 'nurse', wards: ['7', '8'] },
  { externalId: '9002', name: 'Bo Ek', phone: '46701740621', role: 'doctor', wards: ['7'] },
  { externalId: '9003', name: 'Cleo Dahl', phone: '46701740622', role: 'nurse', wards: [] },
];

interface Person {
  readonly externalId: string;
  readonly name: string;
  readonly phone: string;
  readonly role: string;
  readonly wards: readonly string[];
}

function contact({ role, wards, ...person }: Person): ContactChange {
  const [first = ''] = person.name.toLowerCase().split(' ');
  const tags = [{ type: 'role', value: role }, ...wards.map((value) => ({ type: 'ward', value }))];
  return { ...person, email: `${first}@care.example`, app: undefined, tags, remove: false };
}

/** A crash before it leaves the book empty. */
export async function addDemoContacts(store: Store): Promise<void> {
  await changeManyContacts(store, demoAddressBook.id, people.map(contact));
}
