/**
 * The e-mail sender defaults of a company, as its administrators read and change them. Each company has exactly one set,
 * which is neither listed nor removed, so it is not a resource.
 */
import type { Caller } from '../../accounts/caller.ts';
import { companyNames } from '../../accounts/company-records.ts';
import { managedFault, readSetKeys } from '../../accounts/set-keys.ts';
import { type IfMatch, isMatch } from '../../foundation/if-match.ts';
import { allowed, type Refused, refusal } from '../../resources/declaration.ts';
import { digestOf } from '../../resources/resource.ts';
import type { Context } from '../../storage/context.ts';
import { announceHint } from '../../storage/hints.ts';
import { forUpdate, sql } from '../../storage/sql.ts';
import { type Reading, readVerb, refusable, singleWriteVerb } from '../../storage/verb.ts';
import { actingOf, requireEmailAdmin } from '../senders/administer-senders.ts';
import { keepPayers } from '../senders/paying-user.ts';
import type { EmailDefaults } from '../senders/sender-entry.ts';
import {
  type Acting,
  changeOne,
  type DefaultsChange,
  defaultsOf,
  recordSenderAct,
} from '../senders/store.ts';
import { nameOf, refused } from './listed-sender.ts';

export interface ListedDefaults {
  readonly defaults: EmailDefaults;
  readonly version: string;
  /** The number of entries on the list, which stay as they are. */
  readonly entries: number;
  /** The settings managed by provisioning files. */
  readonly managedKeys: readonly string[];
}

export const readDefaults = readVerb('email.readDefaults', (reading, companyId: number) =>
  listedDefaults(reading, companyId),
);

async function listedDefaults(reading: Reading, companyId: number): Promise<ListedDefaults> {
  const company = (await companyNames(reading, [companyId])).get(companyId) ?? '';
  const setKeys = await readSetKeys(reading, 'emailDefaults', [company]);
  const managedKeys = setKeys.flatMap(({ keys }) => keys.map(nameOf));
  const counted = await reading.first<{ entries: number }>(
    sql`SELECT COUNT(*) AS entries FROM email_senders WHERE company_id = ${companyId}`,
  );
  return listed(await defaultsOf(reading, companyId), { entries: counted?.entries ?? 0, managedKeys });
}

function listed(
  defaults: EmailDefaults,
  about: Pick<ListedDefaults, 'entries' | 'managedKeys'>,
): ListedDefaults {
  return { defaults, version: digestOf(defaults), ...about };
}

type Change = Omit<DefaultsChange, 'companyId'>;

export interface DefaultsToWrite {
  readonly by: Acting;
  readonly change: Change;
  readonly ifMatch: IfMatch;
}

export const writeDefaults = refusable(
  singleWriteVerb(
    'email.writeDefaults',
    async (transaction, { by, change, ifMatch }: DefaultsToWrite): Promise<ListedDefaults | Refused> => {
      const { companyId } = by;
      const { payingUser, settings } = change;
      await keepPayers(transaction, [{ companyId, payingUser }]);
      // A concurrent call waits here and then sees what the first has changed.
      await transaction.first(
        sql`SELECT company_id FROM email_defaults WHERE company_id = ${companyId} ${forUpdate}`,
      );
      const { version, managedKeys, entries } = await listedDefaults(transaction, companyId);
      if (!isMatch(ifMatch, version))
        return refusal(
          'changed_meanwhile',
          'The defaults were changed by someone else. Reload them and try again. Nothing was changed.',
        );
      const given = Object.entries({ payingUser, ...settings });
      const managed = given.find(([name, value]) => value !== undefined && managedKeys.includes(name));
      if (managed !== undefined)
        return { refused: managedFault({ sentence: 'managed_default', field: managed[0] as string }) };
      const changed = await changeOne(transaction, { companyId, payingUser, settings });
      if (changed.kind !== 'changed') return refused(changed);
      await recordSenderAct(transaction, by, 'email.defaults.change', 'defaults');
      return listed(changed.defaults, { entries, managedKeys });
    },
  ),
);

export async function readCompanyDefaults({ store }: Context, caller: Caller): Promise<ListedDefaults> {
  requireEmailAdmin(caller);
  return store.read(readDefaults, caller.companyId);
}

export async function changeCompanyDefaults(
  services: Context,
  caller: Caller,
  order: Omit<DefaultsToWrite, 'by'>,
): Promise<ListedDefaults> {
  requireEmailAdmin(caller);
  const by = actingOf(services, caller);
  const written = allowed(await services.store.write(writeDefaults, { by, ...order }));
  announceHint(services.store, caller.companyId, 'emailsenders');
  return written;
}
