/** Fixtures shared by tests of mail senders: companies that may list senders of one domain, and their administrators. */
import type { Caller } from '../../src/accounts/caller.ts';
import { parseSenderKey, type SenderKey } from '../../src/email/senders/sender-entry.ts';
import { systemClock } from '../../src/foundation/clock.ts';
import type { Store } from '../../src/storage/store.ts';

export const twoCompanies = `companies:
  - name: Care
    id: 1
    allowedDomainEndings: [.shared.example, care.example]
    users:
      - { username: alice, id: 11, roles: [send], smtpSplit: true }
      - { username: bob, id: 12, roles: [send] }
  - name: Taxi
    id: 2
    allowedDomainEndings: [.shared.example]
    users:
      - { username: tom, id: 21, roles: [send] }
`;

export const administering = (store: Store) => ({ store, clock: systemClock });

/** An administrator of one of those companies, with only the caller fields that the rooms read. */
export function emailAdminOf(companyId: number): Caller {
  return {
    userId: companyId,
    username: 'admin',
    companyId,
    roles: new Set(['emailAdmin']),
  } as unknown as Caller;
}

export function keyOf(email: string): SenderKey {
  const key = parseSenderKey(email);
  if (!key.ok) throw new Error(key.error);
  return key.value;
}

const prefix = '/restsms/svcrest/emailtosms';
export const setPath = `${prefix}/set`;
export const unsetPath = `${prefix}/unset`;
export const defaultPath = `${prefix}/default`;
export const domainsPath = `${prefix}/querydomains`;

const password = 'a long password';
const account = (username: string) => ({ username, password });
/** Pays for e-mails, and has SMTPSPLIT. */
export const payer = account('payer');
export const companyAdmin = account('admin');
export const emailAdmin = account('mailer');
export const withoutRole = account('norole');
/** The administrator of a company that may list senders of the same domains. */
export const taxiAdmin = account('tina');
/** The administrator of a company that may list no senders. */
export const bareAdmin = account('zoe');

/** A number of a company other than the one that lists senders. */
export const foreignNumber = '46731230009';

/** Provisioning for whole servers. */
export const emailProvisioning = `companies:
  - name: Nordic Care
    id: 7
    allowedDomainEndings: [.care.example, care.example, .bücher.example]
    users:
      - { username: payer, id: 501, password: ${password}, roles: [send], smtpSplit: true }
      - { username: plain, id: 502, password: ${password}, roles: [send] }
      - { username: idle, id: 503, roles: [send], active: false }
      - { username: jobber, id: 504, password: ${password}, roles: [jobs] }
      - { username: "900", id: 505, roles: [send] }
      - { username: admin, id: 506, password: ${password}, roles: [companyAdmin] }
      - { username: mailer, id: 507, password: ${password}, roles: [emailAdmin] }
      - { username: norole, id: 508, password: ${password} }
      - { username: poor, id: 509, roles: [send], quotaParts: 0 }
  - name: Harbour Taxi
    allowedDomainEndings: [.care.example]
    users:
      - { username: tom, id: 601, roles: [send] }
      - { username: tina, password: ${password}, roles: [companyAdmin] }
  - name: Bare
    users:
      - { username: zoe, id: 701, password: ${password}, roles: [send, companyAdmin] }
carriers:
  - { name: sim, type: simulator, submitDelayMs: 0, receiptDelayMs: 20 }
routes:
  - { name: all, prefix: "", carriers: [sim] }
numbers:
  - { number: "${foreignNumber}", rentedBy: zoe }
`;

export const endings = ['.care.example', 'care.example', '.xn--bcher-kva.example'];

/** An entry as /set returns it, with nothing set but the paying user. */
export const plainEntry = {
  result: 'OK',
  blocked: false,
  payinguserId: '501',
  payinguserName: 'payer',
  sender: '',
  costCenter: '',
  defaultCountrycode: '',
  maxSms: 255,
  checkMobile: false,
  includeSubject: false,
  onlyNonDelivery: false,
  origMsg: false,
  splitCallback: false,
  senderLogic: false,
  allowedDomainEndings: endings,
};

/** Everything that can be set in an entry or in the defaults, except whether it is blocked. */
export const allSettings = {
  payinguser: '501',
  sender: 'NordicCare',
  costCenter: 'Ward 7, säng 1+2',
  defaultCountryCode: '46',
  maxSms: '3',
  checkMobile: true,
  includeSubject: true,
  onlyNonDelivery: true,
  origMsg: true,
  splitCallback: true,
  senderLogic: true,
};

/** The same settings as they appear in responses. */
export const allShown = {
  payinguserId: '501',
  payinguserName: 'payer',
  sender: 'NordicCare',
  costCenter: 'Ward 7, säng 1+2',
  defaultCountrycode: '46',
  maxSms: 3,
  checkMobile: true,
  includeSubject: true,
  onlyNonDelivery: true,
  origMsg: true,
  splitCallback: true,
  senderLogic: true,
};
