/** Changes what a company sets for all of its e-mail senders (API: email-to-SMS, /default). */
import type { Caller } from '../../accounts/caller.ts';
import type { Store } from '../../storage/store.ts';
import { changeDefaults, type DefaultsChange } from './defaults-store.ts';
import { refusalError, requireEmailAdmin } from './refusal.ts';
import type { EmailDefaults } from './sender-entry.ts';

export interface DefaultsWithEndings {
  readonly defaults: EmailDefaults;
  /** The company's allowed domain endings. */
  readonly endings: readonly string[];
}

/** Entries that are there stay as they are: a default counts when an entry is set. */
export async function setDefaults(
  store: Store,
  caller: Caller,
  change: Omit<DefaultsChange, 'companyId'>,
): Promise<DefaultsWithEndings> {
  requireEmailAdmin(caller);
  const changed = await store.write(changeDefaults, { companyId: caller.companyId, ...change });
  if (changed.kind === 'changed') return changed;
  throw refusalError(changed);
}
