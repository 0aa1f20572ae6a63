/** The first start of an empty store finds a company to try the service with: nothing to set up before the first SMS. */
import { randomInt } from 'node:crypto';
import { Passwords } from '../accounts/password.ts';
import { roles } from '../accounts/role.ts';
import { changeManyContacts } from '../contacts/change-contacts.ts';
import type { ContactChange } from '../contacts/contact.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Store } from '../storage/store.ts';
import { planOf } from './file.ts';
import { applyPlan } from './store.ts';

export interface DemoCredentials {
  readonly username: string;
  /** Random, and kept nowhere: it can be told once. */
  readonly password: string;
}

export interface DemoDraft {
  readonly password: string;
  readonly passwordHash: string;
}

export async function draftDemoCompany(): Promise<DemoDraft> {
  const password = randomPassword();
  return { password, passwordHash: await new Passwords().hash(password) };
}

/** All but the people of its address book. Undefined when the store has a company already, and stays as it is. */
export async function createDemoCompany(
  store: Store,
  clock: Clock,
  draft?: DemoDraft,
): Promise<DemoCredentials | undefined> {
  const { password, passwordHash } = draft ?? (await draftDemoCompany());
  const plan = planOf(demoFile(passwordHash), 'make the demo company');
  const order = { plan, when: 'storeEmpty', file: undefined, now: clock.now() } as const;
  const applied = await store.write(applyPlan, order);
  return applied.kind === 'applied' ? { username: demoUsername, password } : undefined;
}

const passwordCharacters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';

/** 93 bits, of characters that no shell, URL or command line takes for anything else, nor a reader for another one. */
export function randomPassword(): string {
  const draw = () => passwordCharacters[randomInt(passwordCharacters.length)] as string;
  return Array.from({ length: 16 }, draw).join('');
}

export const demoUsername = 'demo';

/** Its people are written by `addDemoContacts`. */
export const demoAddressBook = { id: 11, name: 'Staff' } as const;

/**
 * Its numbers are of the series that the Swedish regulator keeps free for films and books, which belongs to nobody, its
 * domains below the top-level one that is kept free for examples (RFC 2606). The limits are more than anybody sends who
 * tries the service out; whoever finds the password does not send all day. The template and the webhook are for the documentation.
 */
function demoFile(passwordHash: string): string {
  return `
companies:
  - name: Demo
    limits: { partsPerMinute: 600, partsPerDay: 20000 }
    defaultSender: Carillon
    templates:
      - { id: 1001, name: Visit, text: "Dear {Text:customer}, welcome on {DateTime:when}." }
    allowedDomainEndings: [.example]
    webhooks:
      - { id: desk, url: "https://receiver.example/", events: [message.status], active: false }
    users:
      - username: ${demoUsername}
        passwordHash: "${passwordHash}"
        roles: [${roles.join(', ')}]
        replaceCharacters: true
        smtpSplit: true
        defaultAddressBook: ${demoAddressBook.name}
        systemUser: demo-jobs
    systemUsers:
      - { username: demo-jobs }
    savedJobs:
      - { id: 71, owner: demo-jobs, name: Night alarm, type: QuickAssign, message: "Can you come tonight? YES or NO", tasks: [{ tagType: role, tagValue: nurse, goal: 1 }] }
    addressBooks:
      - id: ${demoAddressBook.id}
        name: ${demoAddressBook.name}
        savedTagFilters: { nurses: "role:nurse" }
        groups: { board: ["46701740629", { contact: "9002" }] }
carriers:
  - { name: sim, type: simulator }
routes:
  - { name: all, prefix: "", carriers: [sim] }
numbers:
  - { number: "46701740605", rentedBy: ${demoUsername} }
  - { number: "46701740606", pool: true }
  - { number: "46701740607", pool: true }
`;
}

/** Numbers of the series that the Swedish regulator keeps free for films and books; addresses of a domain for examples. */
const people: readonly ContactChange[] = [
  person('9001', 'Anna Berg', '46701740620', { role: ['nurse'], ward: ['7', '8'] }),
  person('9002', 'Bo Ek', '46701740621', { role: ['doctor'], ward: ['7'] }),
  person('9003', 'Cleo Dahl', '46701740622', { role: ['nurse'] }),
];

function person(
  externalId: string,
  name: string,
  phone: string,
  tagsByType: Readonly<Record<string, readonly string[]>>,
): ContactChange {
  const [first = ''] = name.toLowerCase().split(' ');
  const tags = Object.entries(tagsByType).flatMap(([type, values]) =>
    values.map((value) => ({ type, value })),
  );
  return { externalId, name, phone, email: `${first}@care.example`, app: undefined, tags, remove: false };
}

/** A crash before it leaves the book empty. */
export async function addDemoContacts(store: Store): Promise<void> {
  await changeManyContacts(store, demoAddressBook.id, people);
}
