/** How users, and operators, change their own second factors: the rules and the verbs of the store are the same for both. */
import type { Act, Actor } from '../audit/audit-log.ts';
import type { FactorEvent } from '../email/outgoing/words.ts';
import { readVerb, refusable, singleWriteVerb, type Transaction } from '../storage/verb.ts';
import { maxPasskeys, neededFor, type UsedChallenge } from './factor.ts';
import {
  type FactorsChanged,
  type FactorTables,
  type Owner,
  type Passkey,
  useChallenge,
} from './factor-records.ts';

/** A change that somebody makes to their own factors. */
export interface OwnChange<Who extends Owner> {
  readonly owner: Who;
  /** The digest of the session that makes the call. */
  readonly asking: string;
  readonly by: Actor;
  readonly now: number;
  /** The domain that mail is sent from; undefined when no mail is sent. */
  readonly mailDomain: string | undefined;
  /** Whether a setting of the server requires a factor. */
  readonly isRequired?: boolean;
}

export type ChangeRefusal =
  | { readonly refused: 'ended' | 'taken' | 'full' | 'missing' | 'required' }
  | { readonly refused: 'needed'; readonly needed: 'password' | 'factor' };

interface Adding<Who extends Owner> extends OwnChange<Who> {
  readonly challenge: UsedChallenge;
  /** Digests of new recovery codes, which are kept only if there was no factor before. */
  readonly recoveryDigests: readonly string[];
}

interface NewTotp<Who extends Owner> extends Adding<Who> {
  readonly secret: string;
  /** The time step of the code that was given, which can't be used again. */
  readonly step: number;
}

interface NewPasskey<Who extends Owner> extends Adding<Who> {
  readonly passkey: Omit<Passkey, 'createdAt' | 'usedAt'>;
}

interface Replacing<Who extends Owner> extends OwnChange<Who> {
  readonly recoveryDigests: readonly string[];
}

interface Removing<Who extends Owner> extends OwnChange<Who> {
  /** A passkey's id; undefined for codes of an app. */
  readonly passkey: string | undefined;
}

/** What differs between users and operators, where they change their own factors. */
interface Holders<Who extends Owner, Holder> {
  readonly tables: FactorTables<Who>;
  /** The account, locked, and the session that asks; undefined when the session has ended. */
  readonly find: (
    transaction: Transaction,
    change: OwnChange<Who>,
  ) => Promise<{ readonly holder: Holder; readonly session: Parameters<typeof neededFor>[0] } | undefined>;
  readonly mustHave: (holder: Holder, change: OwnChange<Who>) => boolean;
  /** The session has had a factor now; `isFirst`: the other sessions were begun without one, and end. */
  readonly given: (transaction: Transaction, change: OwnChange<Who>, isFirst: boolean) => Promise<void>;
  readonly record: (
    transaction: Transaction,
    holder: Holder,
    change: OwnChange<Who>,
    act: Act,
    event: FactorEvent,
  ) => Promise<FactorsChanged>;
}

/** The verbs with which users, or operators, change their own factors. */
export function ownFactors<Who extends Owner, Holder>(
  room: 'portal' | 'operators',
  holders: Holders<Who, Holder>,
) {
  const { tables, mustHave, record } = holders;
  const read = readVerb(`${room}.readFactors`, async (reading, owner: Who) => ({
    totp: await tables.totpOf(reading, owner),
    passkeys: await tables.passkeysOf(reading, owner),
    recoveryDigests: await tables.recoveryDigestsOf(reading, owner),
  }));
  /** Says whether the recovery codes were kept. */
  const addTotp = refusable(
    singleWriteVerb(`${room}.addTotp`, (transaction, { secret, step, ...adding }: NewTotp<Who>) =>
      add(holders, transaction, adding, 'codes', async () => {
        const { owner, now } = adding;
        if ((await tables.totpOf(transaction, owner)) !== undefined) return 'taken';
        await tables.addTotp(transaction, owner, { secret, usedStep: step, createdAt: now, usedAt: now });
        return undefined;
      }),
    ),
  );
  const addPasskey = refusable(
    singleWriteVerb(`${room}.addPasskey`, (transaction, { passkey, ...adding }: NewPasskey<Who>) =>
      add(holders, transaction, adding, 'passkey', async () => {
        const { owner, now } = adding;
        if ((await tables.passkeysOf(transaction, owner)).length === maxPasskeys) return 'full';
        const row = { ...passkey, createdAt: now, usedAt: undefined };
        return (await tables.addPasskey(transaction, owner, row)) ? undefined : 'taken';
      }),
    ),
  );
  /** The earlier codes no longer work. */
  const replaceCodes = refusable(
    singleWriteVerb(`${room}.replaceRecoveryCodes`, async (transaction, replacing: Replacing<Who>) => {
      const own = await changeable(holders, transaction, replacing);
      if ('refused' in own) return own;
      if (!own.hasFactors) return { refused: 'missing' } as const;
      await tables.writeCodes(transaction, replacing.owner, replacing.recoveryDigests);
      return record(transaction, own.holder, replacing, 'factor.codes', 'recoveryCodes');
    }),
  );
  const remove = refusable(
    singleWriteVerb(`${room}.removeFactor`, async (transaction, removing: Removing<Who>) => {
      const { owner, passkey } = removing;
      const own = await changeable(holders, transaction, removing);
      if ('refused' in own) return own;
      const totp = await tables.totpOf(transaction, owner);
      const passkeys = await tables.passkeysOf(transaction, owner);
      const isKnown = passkey === undefined ? totp !== undefined : passkeys.some(({ id }) => id === passkey);
      if (!isKnown) return { refused: 'missing' } as const;
      const isLast = passkeys.length + (totp === undefined ? 0 : 1) === 1;
      if (isLast && mustHave(own.holder, removing)) return { refused: 'required' } as const;
      await tables.remove(transaction, owner, passkey);
      if (isLast) await tables.writeCodes(transaction, owner, []);
      const event = passkey === undefined ? 'codesRemoved' : 'passkeyRemoved';
      return record(transaction, own.holder, removing, 'factor.remove', event);
    }),
  );
  return {
    read,
    addTotp,
    addPasskey,
    replaceCodes,
    remove,
    verbs: [read, addTotp, addPasskey, replaceCodes, remove],
  };
}

export type FactorVerbs<Who extends Owner> = ReturnType<typeof ownFactors<Who, unknown>>;

async function add<Who extends Owner, Holder>(
  holders: Holders<Who, Holder>,
  transaction: Transaction,
  adding: Adding<Who>,
  event: FactorEvent,
  insert: () => Promise<'taken' | 'full' | undefined>,
): Promise<(FactorsChanged & { readonly isFirst: boolean }) | ChangeRefusal> {
  const own = await changeable(holders, transaction, adding);
  if ('refused' in own) return own;
  if (!(await useChallenge(transaction, adding.challenge))) return { refused: 'ended' };
  const refused = await insert();
  if (refused !== undefined) return { refused };
  const isFirst = !own.hasFactors;
  if (isFirst) await holders.tables.writeCodes(transaction, adding.owner, adding.recoveryDigests);
  await holders.given(transaction, adding, isFirst);
  return { ...(await holders.record(transaction, own.holder, adding, 'factor.add', event)), isFirst };
}

/** The account, locked, if the session that asks may change its factors. */
async function changeable<Who extends Owner, Holder>(
  { tables, find }: Holders<Who, Holder>,
  transaction: Transaction,
  change: OwnChange<Who>,
): Promise<{ readonly holder: Holder; readonly hasFactors: boolean } | ChangeRefusal> {
  const found = await find(transaction, change);
  if (found === undefined) return { refused: 'ended' };
  const hasFactors = await tables.has(transaction, change.owner);
  const needed = neededFor(found.session, hasFactors, change.now);
  return needed === undefined ? { holder: found.holder, hasFactors } : { refused: 'needed', needed };
}
