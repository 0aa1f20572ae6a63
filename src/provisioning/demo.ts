/**
 * Creates a company to try the service with on the first start with an empty store, so that nothing has to be set up before
 * the first SMS.
 */
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
  /** Random and not stored anywhere, so it can be shown only once. */
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

/**
 * Creates everything except the people of its address book. Undefined when the store already has a company, in which case it
 * stays unchanged.
 */
export async function createDemoCompany(
  store: Store,
  clock: Clock,
  draft?: DemoDraft,
): Promise<DemoCredentials | undefined> {
  const { password, passwordHash } = draft ?? (await draftDemoCompany());
  const plan = planOf(demoFile(passwordHash), 'create the demo company');
  const order = { plan, when: 'storeEmpty', file: undefined, now: clock.now() } as const;
  const applied = await store.write(applyPlan, order);
  return applied.kind === 'applied' ? { username: demoUsername, password } : undefined;
}

const passwordCharacters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';

/**
 * 93 bits, in characters that have no special meaning in a shell, URL or command line, and that readers do not confuse
 * with others.
 */
export function randomPassword(): string {
  const draw = () => passwordCharacters[randomInt(passwordCharacters.length)] as string;
  return Array.from({ length: 16 }, draw).join('');
}

export const demoUsername = 'demo';

/** `addDemoContacts` adds its people. */
export const demoAddressBook = { id: 11, name: 'Staff' } as const;

/**
 * Its numbers belong to the series that the Swedish regulator keeps free for films and books, which belongs to nobody, and
 * its domains are below the top-level domain reserved for examples (RFC 2606). The limits are higher than anyone trying out
 * the service needs, but someone who finds the password cannot send all day. The template and the webhook are for the
 * documentation.
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
    alertReceivers:
      - { name: ops, source: alertmanager, user: ${demoUsername}, start: 71 }
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

/**
 * The numbers belong to the series that the Swedish regulator keeps free for films and books, the addresses to a domain for
 * examples.
 */
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

/** A crash before this leaves the book empty. */
export async function addDemoContacts(store: Store): Promise<void> {
  await changeManyContacts(store, demoAddressBook.id, people);
}
