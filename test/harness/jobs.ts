/** Saved jobs on a whole server: a hospital with people to ask, and their answers. */
import type { WholeApp } from './app.ts';
import { query, simulateIncoming } from './messaging.ts';

export const listJobsPath = '/dispatch/svcdispatch/listsavedjobs';
export const startJobPath = '/dispatch/svcdispatch/startsavedjob';

/** The phone of contact `n`. The simulator delivers if `n` is 14 or more, unless its last two digits are 06. */
export const phoneOf = (n: number) => `467010001${String(n).padStart(2, '0')}`;

const contact = (n: number, tags: string) =>
  `          - { id: ${n}, name: Person ${n}, phone: "${phoneOf(n)}", tags: { ${tags} } }`;

/** Nurses 20 to 25; nurse 6, who can't be reached; assistants 30 to 33; and a nurse without a phone. */
const contacts = [
  ...[20, 21, 22, 23, 24, 25].map((n) => contact(n, 'role: [nurse], status: [active]')),
  contact(6, 'role: [nurse6], status: [active]'),
  ...[30, 31, 32, 33].map((n) => contact(n, 'role: [assistant], status: [active]')),
  // Two people who share a phone.
  `          - { id: 41, name: Person 41, phone: "${phoneOf(41)}", tags: { role: [twin] } }`,
  `          - { id: 42, name: Person 42, phone: "${phoneOf(41)}", tags: { role: [twin] } }`,
  // People without a phone: one reached by mail, and one only by an app.
  ...[43, 44].map(
    (n) =>
      `          - { id: ${n}, name: Person ${n}, email: p${n}@care.example, tags: { role: [mailnurse] } }`,
  ),
  '          - { id: 45, name: Person 45, app: "device-45", tags: { role: [mailnurse] } }',
  '          - { id: 40, name: Person 40, email: p40@care.example, tags: { role: [silentnurse] } }',
];

export interface JobsProvisioning {
  /** The system user's webhook URL. */
  readonly callback?: string;
  readonly types?: readonly string[];
  readonly jobs: readonly string[];
  readonly pool?: number;
}

export function jobsProvisioning({
  callback = '{ type: NONE }',
  types = [],
  jobs,
  pool = 6,
}: JobsProvisioning): string {
  const numbers = Array.from(
    { length: pool },
    (_, index) => `  - { number: "4673123900${index}", pool: true }`,
  );
  return `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    addressBooks:
      - id: 11
        name: Staff
        contacts:
${contacts.join('\n')}
        savedTagFilters: { nurses: "role:nurse", helpers: "role:assistant" }
        groups: { board: ["${phoneOf(20)}", "${phoneOf(50)}"] }
    users:
      - { username: alice, password: "alice's long password", roles: [send, jobs], defaultAddressBook: Staff, systemUser: nordic-jobs }
      - { username: bob, password: "bob's long password", roles: [send, jobs], defaultAddressBook: Staff }
      - { username: dave, password: "dave's long password", roles: [jobs], quotaParts: 2, defaultAddressBook: Staff, systemUser: nordic-jobs }
      - { username: carol, password: "carol's long password", roles: [send], defaultAddressBook: Staff }
    systemUsers:
      - { username: nordic-jobs, id: 900, callback: ${callback} }
      - { username: other-jobs, id: 901, callback: { type: NONE } }
    jobTypes:
      - { name: Call, generic: GMM }
${types.map((type) => `      - ${type}\n`).join('')}
    savedJobs:
      - { id: 99, owner: other-jobs, name: Of another, type: MonitoredMessage, message: "Come?", recipients: { numbers: ["${phoneOf(20)}"] } }
${jobs.map((job) => `      - ${job}\n`).join('')}
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
numbers:
${numbers.join('\n')}
`;
}

export interface SentText {
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly text: string;
}

/** The texts that a run has sent, in order. */
export async function sentBy(app: WholeApp, runId: number): Promise<readonly SentText[]> {
  const rows = await query(
    app,
    `SELECT messages.id, recipient, sender, text FROM job_messages JOIN messages ON messages.company_id = job_messages.company_id
       AND messages.id = job_messages.message_id WHERE run_id = ${runId} ORDER BY messages.id`,
  );
  return rows.map(({ id, recipient, sender, text }) => ({
    id: String(id),
    to: String(recipient),
    from: String(sender),
    text: String(text),
  }));
}

/** Someone answers what the run has sent them. */
export async function answer(app: WholeApp, runId: number, phone: string, text: string): Promise<void> {
  const question = (await sentBy(app, runId)).filter(({ to }) => to === phone).at(-1);
  if (question === undefined) throw new Error(`the run ${runId} has sent nothing to ${phone}`);
  await simulateIncoming(app, { to: question.from, from: phone, text });
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads from it what it expects there.
export async function runOf(app: WholeApp, runId: number): Promise<any> {
  const [row] = await query(app, `SELECT run FROM job_runs WHERE id = ${runId}`);
  return row && JSON.parse(String(row.run));
}
