/** The server to be fuzzed: it trusts its proxy and has users with every kind of permission. */
import { startWholeApp, type WholeApp } from '../harness/app.ts';
import type { EngineName } from '../harness/engines.ts';
import { keyPath } from '../harness/messaging.ts';
import type { KnownCredentials } from './credentials.ts';
import { secretMark, textMark } from './hostile-values.ts';

const password = (username: string) => `${username}'s very long password`;
const users = ['alice', 'bob', 'carol', 'dora', 'erik'].map((username) => ({
  username,
  password: password(username),
}));

/** carol has no role, dora has hardly any quota, and erik has a list of senders. */
const provisioning = `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    allowedDomainEndings: [.example, care.example]
    emailDefaults: { payinguser: bob }
    addressBooks:
      - name: Staff
        contacts: [{ id: 1, phone: "46731230011", tags: { a: b } }, { id: 2, email: two@care.example, tags: { a: c } }]
        savedTagFilters: { Hello: "a:b" }
        groups: { Hello: ["46731230012", { contact: 1 }] }
    users:
      - { username: alice, password: "${password('alice')}", roles: [send, emailAdmin], smtpSplit: true, replaceCharacters: true, defaultAddressBook: Staff }
      - { username: bob, password: "${password('bob')}", roles: [send, companyAdmin], addressBooks: [Staff] }
      - { username: carol, password: "${password('carol')}", roles: [] }
      - { username: dora, password: "${password('dora')}", roles: [send], quotaParts: 3 }
      - { username: erik, password: "${password('erik')}", roles: [send], senders: [NordicCare] }
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: most, prefix: "4", carriers: [sim] }
numbers:
  - { number: "46731230001", rentedBy: alice }
  - { number: "46731239001", pool: true }
`;

export async function startTarget(
  engine: EngineName,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly app: WholeApp; readonly known: KnownCredentials }> {
  const app = await startWholeApp({
    engine,
    provisioning,
    env: { CARILLON_TRUSTED_PROXIES: '127.0.0.0/8', CARILLON_MAX_BODY: '1MiB', ...env },
  });
  const apiKeys = await Promise.all(
    users.map(async (user) => String((await app.as(user).get(keyPath, { name: 'fuzz' })).body)),
  );
  return { app, known: { users, apiKeys } };
}

/** Log lines that no request may cause, and secrets and texts found in the log (RUN-4). */
export function faultsOfLog(stderr: string, { users: known, apiKeys }: KnownCredentials): readonly string[] {
  const secrets = [textMark, secretMark, ...known.map((user) => user.password), ...apiKeys];
  return stderr
    .split('\n')
    .filter((line) => !isHarmless(line) || secrets.some((secret) => withoutKeyName(line).includes(secret)));
}

/** Removes the key's name: it shows which key was issued or revoked, and users choose it freely. */
function withoutKeyName(line: string): string {
  return line.replace(/("event":"key_\w+","object":)"[^"]*"/, '$1""');
}

function isHarmless(line: string): boolean {
  return line === '' || /"level":"(?:trace|debug|info|warn)"/.test(line);
}
