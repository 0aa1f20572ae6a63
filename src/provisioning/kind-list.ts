/**
 * Lists the kinds of provisioned objects. Each kind follows the kinds that its objects refer to, and they are reported
 * in this order.
 */
import { companyResources } from '../company-resources.ts';
import type { Edit } from '../foundation/edit.ts';
import { addressBooks } from './kinds/address-books.ts';
import { alertReceivers } from './kinds/alert-receivers.ts';
import { carriers } from './kinds/carriers.ts';
import { companies } from './kinds/companies.ts';
import { emailDefaults } from './kinds/email-defaults.ts';
import { emailSenders } from './kinds/email-senders.ts';
import { identityProviders } from './kinds/identity-providers.ts';
import { jobTypes } from './kinds/job-types.ts';
import { numbers } from './kinds/numbers.ts';
import { operators } from './kinds/operators.ts';
import { routes } from './kinds/routes.ts';
import { savedJobs } from './kinds/saved-jobs.ts';
import { senderRules } from './kinds/sender-rules.ts';
import { systemUsers } from './kinds/system-users.ts';
import { users } from './kinds/users.ts';
import { webhooks } from './kinds/webhooks.ts';
import type { Kind } from './objects/kind.ts';
import { kindsOf } from './objects/kind-of-resource.ts';
import type { Planned } from './objects/planned.ts';

/** The kinds by their section in the file. */
const bySection = {
  companies,
  addressBooks,
  systemUsers,
  users,
  webhooks,
  jobTypes,
  savedJobs,
  alertReceivers,
  ...kindsOf(companyResources),
  emailDefaults,
  emailSenders,
  senderRules,
  carriers,
  routes,
  numbers,
  operators,
  oidc: identityProviders,
} as const;

type Section = keyof typeof bySection;
type AskedOf<Some> = Some extends Kind<infer Asked, infer _> ? Asked : never;
type KeptOf<Some> = Some extends Kind<infer _, infer Kept> ? Kept : never;

export type AnyKind = Kind<Planned, object>;

export const kinds: readonly AnyKind[] = Object.values(bySection);

/** Every object that a provisioning file names, with omitted values filled in. */
export type Plan = { readonly [Name in Section]: readonly AskedOf<(typeof bySection)[Name]>[] };

/** The relevant objects in the store, in the words of the file. */
export type Objects = { readonly [Name in Section]: readonly KeptOf<(typeof bySection)[Name]>[] };

export type Edits = {
  readonly [Name in Section]: readonly Edit<KeptOf<(typeof bySection)[Name]>>[];
};

/** The items of one kind, whichever kind it is. */
export function ofKind<Item>(all: Plan | Objects | Edits, { section }: AnyKind): readonly Item[] {
  return (all as Readonly<Record<string, readonly unknown[]>>)[section] as readonly Item[];
}

/** Puts the result of `make` for each kind in that kind's place in a plan, or in what the store holds. */
export function forKinds<All extends Plan | Objects | Edits>(
  make: (kind: AnyKind) => readonly unknown[],
): All {
  return Object.fromEntries(kinds.map((kind) => [kind.section, make(kind)])) as unknown as All;
}
