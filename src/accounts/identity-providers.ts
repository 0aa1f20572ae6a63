/**
 * Identity providers, by which users sign in to the portal (OpenID Connect Core 1.0), and which user each of their subjects
 * is. Operators set providers up in a provisioning file.
 */
import type { SealedPlace } from '../foundation/sealing.ts';
import { isLoopback } from '../http/origin.ts';
import { RecordTable } from '../storage/record-table.ts';
import { forShare, literal, sql } from '../storage/sql.ts';
import { text } from '../storage/stored-record.ts';
import { type Reading, readVerb, type Transaction } from '../storage/verb.ts';
import { ofCompany } from './company-records.ts';
import type { Role } from './role.ts';

/** From the values of a claim to roles of the portal. */
export interface ClaimedRoles {
  /** The claim that lists a user's groups or roles at the provider. */
  readonly claim: string;
  readonly map: Readonly<Record<string, readonly Role[]>>;
}

export interface IdentityProvider {
  /** Stands in addresses, `/portal/oidc/entra`. Unique in the whole service. */
  readonly name: string;
  /** The name of the company whose users it signs in; undefined for users of any company. */
  readonly company: string | undefined;
  /** As shown to people. */
  readonly label: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Sealed; undefined for a public client. */
  readonly clientSecret: string | undefined;
  /** Asked for besides `openid`. */
  readonly scopes: readonly string[];
  /** The claim that holds the user name. */
  readonly username: string;
  /** If undefined, users keep the roles that they have here. */
  readonly roles: ClaimedRoles | undefined;
  /** Whether a user who is unknown here is made at the first sign-in. */
  readonly create: boolean;
  /** Whether the sign-in page offers it to everybody. Without that, users need the address. */
  readonly shown: boolean;
}

export const providerRecords = new RecordTable<
  IdentityProvider,
  Exclude<keyof IdentityProvider, 'name' | 'company'>
>({
  table: 'identity_providers',
  key: ['name'],
  fields: { name: text, company: ofCompany },
  others: 'settings',
});

export function placeOfClientSecret(name: string): SealedPlace {
  return ['identity provider', name, 'clientSecret'];
}

/** Names are parts of addresses. */
export function isProviderName(name: string): boolean {
  return /^[a-z0-9][a-z0-9-]{0,39}$/.test(name);
}

/** Whether a provider is on this machine, where it needs no TLS. */
export function isLocalHost(hostname: string): boolean {
  return isLoopback(hostname) || hostname === 'localhost';
}

/** The most providers that a service may have; all nodes hold them in memory. */
export const maxProviders = 1_000;

export const listProviders = readVerb('accounts.listProviders', (reading, _: null) =>
  providerRecords.all(reading),
);

/** A provider as it is now; no file changes or removes it before the transaction ends. */
export async function holdProvider(
  transaction: Transaction,
  name: string,
): Promise<IdentityProvider | undefined> {
  await transaction.first(sql`SELECT name FROM identity_providers WHERE name = ${name} ${forShare}`);
  const [provider] = await providerRecords.read(transaction, { name: [name] });
  return provider;
}

/** A user as a provider knows them. */
export interface Subject {
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
}

/** The id of the user who is known by the subject. */
export async function userOfSubject(
  reading: Reading,
  { provider, issuer, subject }: Subject,
): Promise<number | undefined> {
  const row = await reading.first<{ user_id: number }>(
    sql`SELECT user_id FROM user_identities
        WHERE provider = ${provider} AND issuer = ${issuer} AND subject = ${subject}`,
  );
  return row?.user_id;
}

/** Returns false if the provider knows the user by another subject, or another user by this one. */
export async function tieSubject(
  transaction: Transaction,
  { provider, issuer, subject }: Subject,
  userId: number,
  since: number,
): Promise<boolean> {
  await transaction.run(
    sql`INSERT INTO user_identities (provider, issuer, subject, user_id, since)
        VALUES (${provider}, ${issuer}, ${subject}, ${userId}, ${since})
        ON CONFLICT DO NOTHING`,
  );
  // Another sign-in of the same person may have tied it at the same moment.
  return (await userOfSubject(transaction, { provider, issuer, subject })) === userId;
}

export interface TiedIdentity {
  /** The name of the provider. */
  readonly provider: string;
  readonly since: number;
}

/** A user has at most one identity of each provider. */
export const listUserIdentities = readVerb(
  'accounts.listUserIdentities',
  async (reading, userId: number): Promise<readonly TiedIdentity[]> =>
    reading.all<TiedIdentity & object>(
      sql`SELECT provider, since FROM user_identities WHERE user_id = ${userId}
          ORDER BY provider LIMIT ${literal(maxProviders)}`,
    ),
);

/** Returns the names of the providers that no longer know the user. */
export async function untieSubjects(transaction: Transaction, userId: number): Promise<readonly string[]> {
  const rows = await transaction.all<{ provider: string }>(
    sql`DELETE FROM user_identities WHERE user_id = ${userId} RETURNING provider`,
  );
  return rows.map(({ provider }) => provider).sort();
}

export async function removeProviders(
  transaction: Transaction,
  removed: readonly IdentityProvider[],
): Promise<void> {
  await providerRecords.remove(transaction, removed);
  for (const { name } of removed)
    await transaction.run(sql`DELETE FROM user_identities WHERE provider = ${name}`);
}
