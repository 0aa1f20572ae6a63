/** Reads the relevant objects from the store, and applies a file in one transaction. */
import { hasCompanies } from '../accounts/company-records.ts';
import { hasRetired } from '../accounts/retired-ids.ts';
import { lockOutFiles } from '../accounts/set-keys.ts';
import { type Actor, operator } from '../audit/audit-log.ts';
import { hasCarriers } from '../carriers/provisioned/carrier-rows.ts';
import { hasRoutes } from '../routing/route-records.ts';
import { hasLeased } from '../storage/ids.ts';
import { sql } from '../storage/sql.ts';
import {
  afterLoading,
  inTurns,
  type Reading,
  readVerb,
  singleWriteVerb,
  snapshotVerb,
  type Transaction,
  theNode,
} from '../storage/verb.ts';
import type { Fault } from '../yaml/fault.ts';
import type { StaleSender } from './foreign-senders.ts';
import type { Edits, Plan } from './kind-list.ts';
import type { Scope } from './objects/kind.ts';
import { loadRules as planning } from './rules.ts';

export const readState = inTurns(
  snapshotVerb('provisioning.readState', async (reading, scope: Scope) => {
    const { stateOf } = await planning();
    return await stateOf(reading, scope);
  }),
  theNode,
);

export const readLastApplied = readVerb(
  'provisioning.readLastApplied',
  (reading, path: string): Promise<string | undefined> => lastApplied(reading, path),
);

/** Whether nothing has been set up yet. */
export const readIsEmpty = readVerb('provisioning.readIsEmpty', (reading, _: null) => isEmpty(reading));

/**
 * Whether anything is set up; `emptied` means that nothing is, although there has been a company. Nodes that start
 * together may be setting it up.
 */
export const readUse = snapshotVerb(
  'provisioning.readUse',
  async (reading, _: null): Promise<'new' | 'emptied' | 'in use'> => {
    if (!(await isEmpty(reading))) return 'in use';
    const hadSome = (await hasLeased(reading, 'company')) || (await hasRetired(reading));
    return hadSome ? 'emptied' : 'new';
  },
);

interface AppliedFile {
  readonly path: string;
  readonly contentHash: string;
}

interface ApplyInput {
  /** With passwords replaced by their hashes. */
  readonly plan: Plan;
  readonly when: 'always' | 'contentChanged' | 'storeEmpty';
  /** The file that the plan comes from, which is remembered as applied. */
  readonly file: AppliedFile | undefined;
  readonly now: number;
  /** Absent when a file is applied, which leaves no entries in the audit log. */
  readonly by?: Actor | undefined;
  /** Whether further transactions follow; the file is applied only after them, and `rememberApplied` remembers it then. */
  readonly isUnfinished?: boolean;
}

export type Applied =
  | { readonly kind: 'applied'; readonly edits: Edits; readonly stale: readonly StaleSender[] }
  | { readonly kind: 'refused'; readonly faults: readonly Fault[] }
  /** The condition of `when` was not met. */
  | { readonly kind: 'skipped' };

export const applyPlan = afterLoading(
  planning,
  singleWriteVerb(
    'provisioning.apply',
    async (transaction, { plan, when, file, now, by, isUnfinished }: ApplyInput): Promise<Applied> => {
      await lockOutFiles(transaction);
      if (when === 'storeEmpty' && !(await isEmpty(transaction))) return { kind: 'skipped' };
      if (when === 'contentChanged' && file !== undefined) {
        if ((await lastApplied(transaction, file.path)) === file.contentHash) return { kind: 'skipped' };
      }
      const { applyEdits, recordEdits, releaseByEdits } = await planning();
      const { faults, edits, stale } = await applyEdits(transaction, plan, file?.path);
      if (faults.length > 0) return { kind: 'refused', faults };
      if (by !== undefined) await recordEdits(transaction, edits, { by, at: now });
      if (file !== undefined && isUnfinished !== true) await remember(transaction, file, now);
      await releaseByEdits(transaction, edits, { by: by ?? operator, at: now });
      return { kind: 'applied', edits, stale };
    },
    ({ plan }) => Object.values(plan).reduce((sum, { length }) => sum + length, 0),
  ),
);

/** Remembers a file as applied if its contacts were written after everything else. */
export const rememberApplied = singleWriteVerb(
  'provisioning.rememberApplied',
  (transaction, { file, now }: { readonly file: AppliedFile; readonly now: number }) =>
    remember(transaction, file, now),
);

async function isEmpty(reading: Reading): Promise<boolean> {
  // Removed carriers count too, since their messages still exist.
  return !((await hasCompanies(reading)) || (await hasCarriers(reading)) || (await hasRoutes(reading)));
}

async function lastApplied(reading: Reading, path: string): Promise<string | undefined> {
  const row = await reading.first<{ content_hash: string }>(
    sql`SELECT content_hash FROM provisioned WHERE source = ${path}`,
  );
  return row?.content_hash;
}

async function remember(transaction: Transaction, file: AppliedFile, now: number): Promise<void> {
  await transaction.run(
    sql`INSERT INTO provisioned (source, content_hash, applied_at) VALUES (${file.path}, ${file.contentHash}, ${now})
        ON CONFLICT (source) DO UPDATE SET content_hash = excluded.content_hash, applied_at = excluded.applied_at`,
  );
}
