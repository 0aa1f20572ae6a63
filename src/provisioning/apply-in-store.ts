/** Processes a file within the store: its objects are read, compared, checked and written in one transaction. */
import { companyIds, lockLeaving } from '../accounts/company-records.ts';
import { retiredAmong } from '../accounts/retired-ids.ts';
import { forgetSetKeys, keysOf, readSetKeys, rememberSetKeys, type SetKeys } from '../accounts/set-keys.ts';
import { type AuditEntry, recordAct } from '../audit/audit-log.ts';
import { lockEmailSenders } from '../email/senders/entry-records.ts';
import { changed, created, type Edit, removed } from '../foundation/edit.ts';
import { releaseOf, seesFewer } from '../messages/conversations/release-records.ts';
import { readOwnedNumbers } from '../routing/number-records.ts';
import { raiseNews } from '../storage/news.ts';
import type { Reading, Transaction } from '../storage/verb.ts';
import type { Fault } from '../yaml/fault.ts';
import { Comparison, check, type Source, type State, scopeOf } from './compare.ts';
import { type StaleSender, staleSenders } from './foreign-senders.ts';
import { type Edits, forKinds, kinds, type Objects, ofKind, type Plan } from './kind-list.ts';
import { namedIn, type Scope } from './objects/kind.ts';
import type { Planned } from './objects/planned.ts';

interface AppliedEdits {
  readonly faults: readonly Fault[];
  readonly edits: Edits;
  readonly stale: readonly StaleSender[];
}

/** With any fault, nothing is written. `source` is the path of the file that the plan comes from. */
export async function applyEdits(
  transaction: Transaction,
  plan: Plan,
  source: Source,
): Promise<AppliedEdits> {
  const scope = scopeOf(plan);
  await lockForCheck(transaction, scope);
  const state = await stateOf(transaction, scope);
  const comparison = new Comparison(plan, state, source);
  const faults = check(comparison);
  const { edits } = comparison;
  if (faults.length > 0) return { faults, edits, stale: [] };
  const stale = await staleSenders(comparison, (whole) => stateOf(transaction, whole));
  await writeEdits(transaction, edits);
  if (source !== undefined) await rememberSetKeys(transaction, setKeysOf(plan, source), state.setKeys);
  return { faults, edits, stale };
}

/** Locks what others could change while a file is checked and applied. SQLite has a single writer. */
async function lockForCheck(transaction: Transaction, scope: Scope): Promise<void> {
  const leaving = {
    usernames: namedIn(scope, 'users').removed,
    companies: namedIn(scope, 'companies').removed,
  };
  await lockLeaving(transaction, leaving);
  const { keys: emails } = namedIn(scope, 'emailSenders');
  if (emails.length + leaving.usernames.length + leaving.companies.length > 0)
    await lockEmailSenders(transaction);
}

export async function stateOf(reading: Reading, scope: Scope): Promise<State> {
  const objects: Record<string, readonly object[]> = {};
  const setKeys: SetKeys[] = [];
  for (const kind of kinds) {
    objects[kind.section] = await kind.load(reading, scope);
    setKeys.push(...(await readSetKeys(reading, kind.section, namedIn(scope, kind.section).keys)));
  }
  const namesSenders =
    namedIn(scope, 'numbers').keys.length > 0 ||
    kinds.some(({ section }) => namedIn(scope, section).namesSenders);
  return {
    objects: forKinds<Objects>(({ section }) => objects[section] ?? []),
    setKeys,
    ownedNumbers: namesSenders ? await readOwnedNumbers(reading) : [],
    retiredIds: {
      company: await retiredAmong(reading, 'company', namedIn(scope, 'companies').ids),
      user: await retiredAmong(reading, 'user', namedIn(scope, 'users').ids),
      systemUser: await retiredAmong(reading, 'systemUser', namedIn(scope, 'systemUsers').ids),
    },
  };
}

/**
 * New objects come after those that they refer to. Everything else is done in the opposite order: references to an
 * object are removed before the object, and users are changed before companies, as everywhere, so that no two
 * transactions deadlock.
 */
async function writeEdits(transaction: Transaction, edits: Edits): Promise<void> {
  const kept = kinds.map((kind) => ({ kind, edits: ofKind<Edit<object>>(edits, kind) }));
  const edited = kept.filter((one) => one.edits.length > 0);
  for (const { kind, edits } of edited) {
    const fresh = created(edits);
    if (fresh.length > 0) await kind.create(transaction, fresh);
  }
  for (const { kind, edits } of [...edited].reverse()) {
    const changes = changed(edits);
    if (changes.length > 0) {
      await kind.change(
        transaction,
        changes.map(({ after }) => after),
        changes.map(({ before }) => before),
      );
    }
    const gone = removed(edits);
    if (gone.length === 0) continue;
    await kind.remove(transaction, gone);
    await forgetSetKeys(
      transaction,
      gone.map((item) => ({ kind: kind.section, object: kind.keyOf(item) })),
    );
  }
  for (const topic of new Set(edited.flatMap(({ kind }) => kind.news ?? [])))
    await raiseNews(transaction, topic);
}

function setKeysOf(plan: Plan, source: string): readonly SetKeys[] {
  return kinds.flatMap((kind) =>
    ofKind<Planned>(plan, kind)
      .filter(({ remove }) => !remove)
      .map((asked) => ({ source, kind: kind.section, object: kind.keyOf(asked), keys: keysOf(asked) })),
  );
}

/** Adds the audit log entries for what a command did. */
export async function recordEdits(
  transaction: Transaction,
  edits: Edits,
  acted: Pick<AuditEntry, 'by' | 'at'>,
): Promise<void> {
  const entries = kinds.flatMap((kind) =>
    ofKind<Edit<object>>(edits, kind).flatMap((edit) => kind.auditOf?.(edit) ?? []),
  );
  const ids = await companyIds(
    transaction,
    entries.map(({ company }) => company),
  );
  for (const { company, ...entry } of entries) {
    const companyId = ids.get(company);
    if (companyId !== undefined) await recordAct(transaction, { companyId, ...acted, ...entry });
  }
}

/** Releases conversations assigned to users who are gone or can no longer see them. */
export async function releaseByEdits(
  transaction: Transaction,
  edits: Edits,
  acted: Pick<AuditEntry, 'by' | 'at'>,
): Promise<void> {
  const leaving = edits.users.flatMap(({ before, after }) =>
    before?.id !== undefined && seesFewer(before, after)
      ? [{ id: before.id, username: before.username }]
      : [],
  );
  await releaseOf(transaction, leaving, acted);
}
