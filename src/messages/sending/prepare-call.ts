/** Prepares a call as it came: what it names is looked up first, and many recipients take turns with all else. */
import type { Caller } from '../../accounts/caller.ts';
import { type SelectedRecipients, selectRecipients } from '../../contacts/select-recipients.ts';
import type { Turns } from '../../foundation/turns.ts';
import type { RoutingTable } from '../../routing/routing-table.ts';
import type { Store } from '../../storage/store.ts';
import type { SavedTemplates } from '../../templates/saved-templates.ts';
import { isLarge, maxRecipients, type Prepared, prepare, preparing, type SendRequest } from './prepare.ts';

export interface Preparing {
  readonly store: Store;
  readonly routes: () => RoutingTable;
  readonly turns: Turns;
  readonly templates: Pick<SavedTemplates, 'find'>;
}

export interface PreparedCall {
  readonly prepared: Prepared;
  /** What the call selects from the address book. */
  readonly selected: SelectedRecipients | undefined;
}

export async function prepareCall(
  { store, routes, turns, templates }: Preparing,
  caller: Caller,
  request: SendRequest,
  now: number,
  isWanted?: () => boolean,
): Promise<PreparedCall> {
  const { addressBook, templateid } = request;
  // The template first: a wrong id should not cost a search.
  const template = templateid === undefined ? undefined : await templates.find(caller.companyId, templateid);
  const selected = addressBook && (await selectRecipients(store, caller, addressBook, maxRecipients + 1));
  const asked = [caller, request, routes(), now, selected, template] as const;
  const prepared = isLarge(request, selected)
    ? await turns.run(caller.companyId, preparing(...asked), isWanted)
    : prepare(...asked);
  return { prepared, selected };
}
