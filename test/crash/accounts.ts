/** The accounts that send, read and receive in the crash trial, each for one kind of traffic. */

export const usernames = ['alice', 'limited', 'sara', 'vera', 'ida', 'rita'] as const;
export type Username = (typeof usernames)[number];

export const quotaOfLimited = 250;
/** The number that rita rents. */
export const ownNumber = '46731230001';
/** Numbers from which two-way SMS are sent. */
export const poolNumbers = ['46731239001', '46731239002', '46731239003'];
/** Numbers of the carrier that takes so little that messages expire while they wait for it. */
export const slowPrefix = '4790';

export function credentialsOf(username: Username) {
  return { username, password: `the password of ${username}` };
}

function userOf(username: Username): string {
  const quota = username === 'limited' ? `, quotaParts: ${quotaOfLimited}` : '';
  return `      - { username: ${username}, password: "the password of ${username}", roles: [send]${quota} }`;
}

const simulators = `
  - { name: sim, type: simulator, submitDelayMs: 15, receiptDelayMs: 60, window: 200 }
  - { name: slow, type: simulator, submitDelayMs: 100, receiptDelayMs: 60, throughput: 1 }`;

const ends =
  '{ "003": DELETED, "004": EXPIRED, "005": REJECTED, "006": UNDELIVERABLE, "011": SUBSCRIBERERROR }';

/** The simulator only serves incoming SMS. */
function smppCarriers(port: number): string {
  const link = `type: smpp, host: 127.0.0.1, port: ${port}, password: trial, receiptErrors: ${ends}`;
  const impatient = 'reconnectMinMs: 100, reconnectMaxMs: 500, responseTimeoutMs: 5000';
  return `
  - { name: phones, type: simulator }
  - { name: sim, ${link}, ${impatient}, systemId: sim, binds: 2, window: 100 }
  - { name: slow, ${link}, ${impatient}, systemId: slow, throughput: 1 }`;
}

/** If the port of an SMSC is given, all messages go there. */
export function provisioningOf(smscPort: number | undefined): string {
  return `
companies:
  - name: Nordic Care
    defaultSender: NordicCare
    users:
${usernames.map(userOf).join('\n')}
carriers:${smscPort === undefined ? simulators : smppCarriers(smscPort)}
routes:
  - { name: all, prefix: "", carriers: [sim] }
  - { name: slow, prefix: "${slowPrefix}", carriers: [slow] }
numbers:
  - { number: "${ownNumber}", rentedBy: rita }
${poolNumbers.map((number) => `  - { number: "${number}", pool: true }`).join('\n')}
`;
}
