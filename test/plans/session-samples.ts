/** Sample inputs for the verbs of sessions, of links that start one, and of users' own API keys. */
import { createHash } from 'node:crypto';
import * as keys from '../../src/accounts/api-keys.ts';
import { listKeysOfCompany } from '../../src/accounts/company-keys.ts';
import { listProviders, listUserIdentities } from '../../src/accounts/identity-providers.ts';
import { findOperator } from '../../src/accounts/logins.ts';
import { readPasswordIsManaged } from '../../src/accounts/set-keys.ts';
import * as company from '../../src/administration/company.ts';
import * as companyUsers from '../../src/administration/company-user-store.ts';
import { userKeys } from '../../src/administration/user-key.ts';
import { operator } from '../../src/audit/audit-log.ts';
import { listNodes, readBacklog } from '../../src/messages/nodes/service-state.ts';
import * as seenCompanies from '../../src/operators/company-store.ts';
import { operatorFactors, resetOperatorFactors } from '../../src/operators/factor-store.ts';
import * as operatorSessions from '../../src/operators/session-store.ts';
import * as factors from '../../src/portal/factor-store.ts';
import { beginByProvider } from '../../src/portal/provider-store.ts';
import * as sessions from '../../src/portal/session-store.ts';
import { listAppliedFiles } from '../../src/provisioning/applied-files.ts';
import { planOfRemoval } from '../../src/provisioning/file.ts';
import { readSize } from '../../src/storage/size.ts';
import { type Sample, sample } from './sample.ts';
import { big, now } from './stock.ts';

const { companyId, userId } = big;
const session = {
  digest: 'new',
  id: 'new',
  userId,
  createdAt: now,
  usedAt: now,
  network: '192.0.2.1',
  browser: '',
  byLink: false,
};
const from = { address: '192.0.2.1', mailDomain: 'sms.example' };
/** The password mark of users without a password. */
const withoutPassword = createHash('sha256').update('').digest('base64url');
const challenge = { digest: 'a challenge', expiresAt: now };
const factor = { owner: userId, asking: 's7', by: operator, now, mailDomain: 'sms.example' };
const adding = { ...factor, challenge, recoveryDigests: ['first', 'second'] };
const passkey = { id: 'new', name: 'phone', publicKey: 'key', counter: 0, transports: [] };
const proofs = [
  { kind: 'code', step: 5 },
  { kind: 'recoveryCode', digest: 'none' },
  { kind: 'passkey', id: 'none', counter: 5, challenge },
] as const;
const owner = { userId, companyId, username: 'user10', session: undefined };
const by = { ...owner, now };
const named = { by, id: 100, ifMatch: undefined };
const login = { systemId: 'another', binds: 2, window: 100, throughput: 0, networks: undefined };
const ofOwner = { ...by, scopeId: userId, values: {} };
const known = { key: 1, ifMatch: undefined, rename: undefined };
const link = { digest: 'of a user', expiresAt: now + 1_000 };
const limit = 20;
const english = { language: 'en' } as const;
const behindUser = { language: 'sv', name: 'user15' } as const;
const operatorsSession = {
  digest: 'new',
  id: 'new',
  username: 'op1',
  createdAt: now,
  usedAt: now,
  network: '192.0.2.1',
  browser: '',
};
const factorOfOperator = { ...factor, owner: 'op1', asking: 'o1', mailDomain: undefined };
const addingOfOperator = { ...factorOfOperator, challenge, recoveryDigests: ['first', 'second'] };
const ownOfOperator = { username: 'op1', passwordMark: withoutPassword, now };
const since = now - 86_400_000;
const provider = {
  name: 'entra',
  company: 'company1',
  label: 'Care',
  issuer: 'https://login.example',
  clientId: 'carillon',
  clientSecret: undefined,
  scopes: [],
  username: 'preferred_username',
  roles: undefined,
  create: true,
  shown: false,
};

export const sessionSamples: readonly Sample[] = [
  sample(findOperator, 'op1'),
  sample(operatorSessions.admitOperator, { digest: 'none', now }),
  sample(operatorSessions.operatorPasswordIsManaged, 'root'),
  sample(
    operatorSessions.beginOperatorSession,
    ...[undefined, ...proofs].map((proof) => {
      return { session: { ...operatorsSession, passwordMark: withoutPassword, factorAt: undefined }, proof };
    }),
  ),
  sample(operatorFactors.read, 'op1'),
  sample(operatorFactors.addTotp, { ...addingOfOperator, secret: 'sealed', step: 5 }),
  sample(operatorFactors.addPasskey, { ...addingOfOperator, passkey }),
  sample(operatorFactors.replaceCodes, { ...factorOfOperator, recoveryDigests: ['first'] }),
  sample(
    operatorFactors.remove,
    { ...factorOfOperator, passkey: undefined },
    { ...factorOfOperator, passkey: 'none' },
  ),
  sample(resetOperatorFactors, { username: 'op2', now }),
  sample(operatorSessions.touchOperatorSession, { digest: 'none', now }),
  sample(operatorSessions.listOperatorSessions, ownOfOperator),
  sample(operatorSessions.endOperatorSessions, { ...ownOfOperator, which: { allBut: 'none' } }),
  sample(operatorSessions.changeOperatorPassword, {
    passwordHash: 'x',
    session: operatorsSession,
    asking: 'none',
    currentMark: withoutPassword,
  }),
  sample(
    seenCompanies.listCompanies,
    { from: english, limit, since },
    { from: { language: 'sv', name: 'company1' }, limit, since },
  ),
  sample(seenCompanies.findCompany, { id: companyId, since }),
  sample(
    seenCompanies.listUsersOfCompany,
    { companyId, from: english, limit },
    { companyId, from: behindUser, limit },
  ),
  sample(readBacklog, null),
  sample(listNodes, null),
  sample(listAppliedFiles, null),
  sample(readSize, null),
  sample(sessions.findSession, 's7', 'none'),
  sample(
    sessions.beginSession,
    { ...from, session, passwordMark: undefined },
    { ...from, session, passwordMark: withoutPassword },
    ...proofs.map((proof) => ({ ...from, session, passwordMark: withoutPassword, proof })),
  ),
  sample(sessions.keepLink, {
    username: 'user10',
    companyId: null,
    digest: 'l',
    now,
    expiresAt: now + 1_000,
    by: operator,
  }),
  sample(sessions.findLink, { digest: 'none', now }),
  sample(sessions.beginByLink, { ...from, linkDigest: 'none', session }),
  sample(listProviders, null),
  sample(listUserIdentities, 100),
  sample(companyUsers.releaseCompanyUser, { by, id: 100 }),
  sample(
    beginByProvider,
    ...(['user10', 'nobody'] as const).map((username) => ({
      ...from,
      provider,
      identity: { issuer: 'https://login.example', subject: username, username, roles: ['send'] as const },
      session,
      confirms: undefined,
    })),
  ),
  sample(sessions.touchSession, { digest: 's7', now }),
  sample(sessions.listSessions, { userId, now }),
  sample(
    sessions.endSessions,
    { userId, which: { id: 's7' }, now, by: operator },
    { userId, which: { digest: 's8' }, now, by: operator },
    { userId, which: { allBut: 's9' }, now, by: operator },
  ),
  sample(sessions.changePassword, { passwordHash: 'x', session, asking: 's7', by: operator }),
  sample(factors.userFactors.read, userId),
  sample(factors.userFactors.addTotp, { ...adding, secret: 'sealed', step: 5 }),
  sample(factors.userFactors.addPasskey, { ...adding, passkey }),
  sample(factors.userFactors.replaceCodes, { ...factor, recoveryDigests: ['first'] }),
  sample(factors.userFactors.remove, { ...factor, passkey: undefined }, { ...factor, passkey: 'none' }),
  sample(readPasswordIsManaged, 'user10'),
  sample(userKeys.list, { scopeId: userId, after: undefined, limit }, { scopeId: userId, after: 500, limit }),
  sample(userKeys.find, { scopeId: userId, key: 1 }),
  sample(userKeys.create, { ...ofOwner, name: undefined, more: { name: 'new one' } }),
  sample(keys.keepKeyUses, { ids: [5, 6], now, everyMs: 60_000 }),
  sample(
    userKeys.change,
    { ...ofOwner, ...known, more: { revoked: true } },
    { ...ofOwner, ...known, more: { expires: now, scopes: ['read'], networks: null } },
  ),
  sample(
    companyUsers.listCompanyUsers,
    { companyId, from: english, limit },
    { companyId, from: behindUser, limit },
    { companyId, name: 'user15', from: english, limit },
    { companyId, q: '999', from: behindUser, limit },
    { companyId, state: 'noPassword', from: english, limit },
  ),
  sample(
    listKeysOfCompany,
    { companyId, after: undefined, limit, now },
    { companyId, after: { username: 'user15', key: 500 }, limit, now },
    { companyId, state: 'revoked', unused: true, withoutEnd: true, after: undefined, limit, now },
  ),
  sample(company.readCompany, companyId),
  sample(company.readCostCenters, companyId),
  sample(company.changeCompany, { by, change: { countryCode: '46' }, ifMatch: undefined }),
  sample(companyUsers.findCompanyUser, { companyId, id: userId }),
  sample(companyUsers.makeCompanyUser, { by, name: 'somebody new', change: { roles: ['send'] }, link }),
  sample(
    companyUsers.changeCompanyUser,
    { ...named, change: { maxBatch: 5 } },
    { ...named, change: { addressBooks: [] } },
    { ...named, id: userId, change: { active: false } },
    { ...named, change: { smpp: login } },
    { ...named, change: { smpp: null } },
  ),
  sample(companyUsers.setSmppPasswordOfUser, { by, id: 100, passwordHash: 'x' }),
  sample(companyUsers.resetUserFactors, { by, id: 100, mailDomain: 'sms.example' }),
  sample(factors.resetFactorsOfUser, { username: 'user100', ...factor }),
  sample(companyUsers.linkCompanyUser, { by, id: 100, link }),
  sample(companyUsers.removeCompanyUser, {
    ...named,
    id: 101,
    plan: planOfRemoval('company1', 'user101'),
  }),
];
