/** Makes, changes and removes the templates of a company for its administrators; whoever sends may read them. */
import type { Caller } from '../accounts/caller.ts';
import { requireRole } from '../accounts/role.ts';
import { managedError } from '../accounts/set-keys.ts';
import type { Clock } from '../foundation/clock.ts';
import { ServiceError } from '../foundation/errors.ts';
import type { Store } from '../storage/store.ts';
import {
  changeTemplate,
  createTemplate,
  findTemplate,
  findVersion,
  listTemplates,
  listVersions,
  removeTemplate,
  type TemplateRefused,
} from './store.ts';
import type { Template, TemplateVersion } from './template.ts';

export interface Administering {
  readonly store: Store;
  readonly clock: Clock;
}

interface Asked {
  readonly id: string;
}

export async function pageOfTemplates(
  { store }: Administering,
  caller: Caller,
  page: { readonly after: number; readonly limit: number },
): Promise<readonly Template[]> {
  return store.read(listTemplates, { companyId: readerIn(caller), ...page });
}

export async function readTemplate(
  { store }: Administering,
  caller: Caller,
  { id }: Asked,
): Promise<Template> {
  const template = await store.read(findTemplate, { companyId: readerIn(caller), id: idOf(id) });
  return template ?? unknown(id);
}

export async function readVersions(
  { store }: Administering,
  caller: Caller,
  { id }: Asked,
): Promise<readonly TemplateVersion[]> {
  const versions = await store.read(listVersions, { companyId: readerIn(caller), id: idOf(id) });
  return versions.length > 0 ? versions : unknown(id);
}

export async function readVersion(
  { store }: Administering,
  caller: Caller,
  { id, version }: Asked & { readonly version: number },
): Promise<TemplateVersion> {
  const found = await store.read(findVersion, { companyId: readerIn(caller), id: idOf(id), version });
  return found ?? unknown(`${id} of version ${version}`);
}

export async function makeTemplate(
  { store, clock }: Administering,
  caller: Caller,
  template: { readonly name: string; readonly text: string },
): Promise<Template> {
  return store.write(createTemplate, { ...administratorOf(caller), now: clock.now(), ...template });
}

export interface Change extends Asked {
  readonly name: string | undefined;
  readonly text: string | undefined;
  readonly version: number | undefined;
}

export async function changeSavedTemplate(
  { store, clock }: Administering,
  caller: Caller,
  { id, ...change }: Change,
): Promise<Template> {
  const by = { ...administratorOf(caller), now: clock.now() };
  const outcome = await store.write(changeTemplate, { ...by, id: idOf(id), ...change });
  return typeof outcome === 'string' ? refuse(outcome, id) : outcome;
}

export async function removeSavedTemplate(
  { store, clock }: Administering,
  caller: Caller,
  { id, version }: Asked & { readonly version: number | undefined },
): Promise<void> {
  const by = { ...administratorOf(caller), now: clock.now() };
  const outcome = await store.write(removeTemplate, { ...by, id: idOf(id), version });
  if (outcome !== null) refuse(outcome, id);
}

function readerIn(caller: Caller): number {
  requireRole(caller, 'send', 'jobs', 'companyAdmin');
  return caller.companyId;
}

function administratorOf(caller: Caller) {
  requireRole(caller, 'companyAdmin');
  const { companyId, username, session } = caller;
  return { companyId, username, session };
}

/** Far smaller are the ids of templates; none has the id 0. */
function idOf(given: string): number {
  const id = Number(given);
  return Number.isSafeInteger(id) ? id : 0;
}

function unknown(id: string): never {
  throw new ServiceError('not_found', `There is no template ${id} in the company of the account.`);
}

function refuse(why: TemplateRefused, id: string): never {
  if (why === 'managed') throw managedError(`The template ${id}`);
  if (why === 'notFound') return unknown(id);
  throw new ServiceError(
    'changed_meanwhile',
    `Somebody else has changed the template ${id} meanwhile. Read it again, and decide anew. Nothing was changed.`,
  );
}
