/** A user's API keys: the user, and administrators of its company, can list, create, limit and end them. */
import { isDeepStrictEqual } from 'node:util';
import { keepAccounts } from '../accounts/account.ts';
import { faultOfNewKey, type KeyLimits, keyFields } from '../accounts/api-keys.ts';
import type { Caller } from '../accounts/caller.ts';
import { usernames } from '../accounts/user-records.ts';
import type { IfMatch } from '../foundation/if-match.ts';
import { allowed, type Row, type Scope } from '../resources/declaration.ts';
import { Resource } from '../resources/resource.ts';
import type { Context } from '../storage/context.ts';
import { announceHint } from '../storage/hints.ts';

/** Provisioning files contain no keys. */
const ofUser: Scope = {
  column: 'user_id',
  place: 'of this user',
  async details(reading, { scopeId, username }) {
    const owner = (await usernames(reading, [scopeId])).get(scopeId) ?? '';
    return owner === username ? '' : { sentence: 'of_user', user: owner };
  },
};

/** Undefined properties are unchanged. */
interface GivenKey extends KeyLimits {
  readonly name?: string | undefined;
  /** Unix time in milliseconds; null means never. */
  readonly expires?: number | null | undefined;
  readonly revoked?: true;
}

export type UserKey = Row<typeof keyFields, number>;

/** An ended key stays listed, and its name stays taken. */
export const userKeys = new Resource<typeof keyFields, number, GivenKey>({
  noun: 'API key',
  plural: 'apiKeys',
  table: 'api_keys',
  scope: ofUser,
  ids: 'apiKey',
  fields: keyFields,
  unversioned: ['usedAt'],
  acts: {
    make: 'apikey.make',
    change: (after, before) => {
      if (after.revoked && !before.revoked) return 'apikey.revoke';
      return isDeepStrictEqual(limitsOf(after), limitsOf(before)) ? 'apikey.expire' : 'apikey.limit';
    },
  },
  details: (key, before) => {
    const scopes = changeOf('scopes', key.scopes, before?.scopes);
    const networks = changeOf('networks', key.networks, before?.networks);
    return [key.name, ...scopes, ...networks];
  },
  news: 'accounts',
  hint: 'apikeys',
  // Creating a key counts the existing keys.
  weight: () => 10,
  lockFirst: (transaction, { by: { scopeId, companyId } }) =>
    keepAccounts(transaction, [{ id: scopeId }], [companyId]),
  async become(transaction, { by, before, more = {} }) {
    const { name = '', expires, revoked, scopes, networks } = more;
    if (before !== undefined) {
      const { generation, createdAt, usedAt } = before;
      return {
        name: before.name,
        generation,
        createdAt,
        usedAt,
        revoked: revoked ?? before.revoked,
        expiresAt: settled(expires, before.expiresAt),
        scopes: settled(scopes, before.scopes),
        networks: settled(networks, before.networks),
      };
    }
    const refused = await faultOfNewKey(transaction, by.scopeId, name);
    if (refused !== undefined)
      return { refused: { ...refused, field: refused.code === 'name_taken' ? 'name' : undefined } };
    return {
      name,
      generation: 1,
      revoked: false,
      expiresAt: expires ?? undefined,
      createdAt: by.now,
      usedAt: undefined,
      scopes: scopes ?? undefined,
      networks: networks ?? undefined,
    };
  },
});

/** What was added and removed, after how many there are now. */
function changeOf(
  limit: 'scopes' | 'networks',
  now: readonly string[] | undefined,
  before: readonly string[] | undefined,
): readonly string[] {
  if (isDeepStrictEqual(now, before)) return [];
  if (now === undefined) return [`${limit}: all`];
  const added = now.filter((one) => !before?.includes(one)).map((one) => `+${one}`);
  const removed = (before ?? []).filter((one) => !now.includes(one)).map((one) => `-${one}`);
  return [`${limit}: ${now.length}`, ...added, ...removed];
}

function limitsOf({ scopes, networks }: Pick<UserKey, 'scopes' | 'networks'>) {
  return { scopes, networks };
}

/** Null clears what was set, and undefined leaves it. */
function settled<Value>(given: Value | null | undefined, before: Value | undefined): Value | undefined {
  return given === undefined ? before : (given ?? undefined);
}

interface KeyChange {
  readonly userId: number;
  readonly id: number;
  readonly ifMatch?: IfMatch;
  readonly change: Omit<GivenKey, 'name'>;
}

/** A revoked or expired key stops working on every node within a second. */
export async function changeUserKey(
  { store, clock }: Context,
  { companyId, username, session }: Caller,
  { userId, id, ifMatch, change }: KeyChange,
): Promise<UserKey> {
  const by = { companyId, username, session, scopeId: userId, now: clock.now() };
  const order = { key: id, ifMatch, rename: undefined, values: {}, more: change };
  const changed = allowed(await store.write(userKeys.change, { ...by, ...order }));
  announceHint(store, companyId, 'apikeys');
  return changed;
}
