/** What tests of e-mail senders share: two companies that may both list senders of one domain, and their administrators. */
import type { Caller } from '../../src/accounts/caller.ts';
import { parseSenderKey, type SenderKey } from '../../src/email/sender-entry.ts';

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

/** Of a company of those; the rooms ask callers for no more than that. */
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
