/** Identity providers in a provisioning file, by which users sign in to the portal, and the roles that they give. */
import {
  type ClaimedRoles,
  type IdentityProvider,
  isLocalHost,
  isProviderName,
  maxProviders,
  placeOfClientSecret,
  providerRecords,
  removeProviders,
} from '../../accounts/identity-providers.ts';
import { type Role, roles } from '../../accounts/role.ts';
import { endSessionsOfProviders } from '../../portal/session.ts';
import type { Fault } from '../../yaml/fault.ts';
import {
  explicitList,
  flag,
  map,
  needed,
  object,
  oneOfWords,
  optional,
  plainText,
  type Read,
  text,
} from '../../yaml/fields.ts';
import { name, remove } from '../objects/fields.ts';
import { type Kind, keeping, removedAmong, type View } from '../objects/kind.ts';
import { lines } from '../objects/line.ts';
import { faultAt, type Planned, planned } from '../objects/planned.ts';
import { companies } from './companies.ts';

interface ProviderPlan extends Planned, Omit<IdentityProvider, 'label'> {
  /** By default the name of the company, or else of the provider. */
  readonly label: string | undefined;
}

const maxMapped = 200;

const providerName = text((written) =>
  isProviderName(written)
    ? { value: written }
    : { wrong: 'must be 1 to 40 small letters, digits and hyphens: it stands in an address' },
);

const issuer = text((written) => {
  const wrong = faultOfIssuer(written);
  return wrong === undefined ? { value: written } : { wrong };
});

/** OpenID Connect Discovery 1.0, section 3: an issuer has no query and no fragment. */
function faultOfIssuer(written: string): string | undefined {
  if (written.length > 500 || !URL.canParse(written))
    return 'must be the address of the provider, such as https://login.example.com';
  const { protocol, hostname, pathname, search, hash, username } = new URL(written);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLocalHost(hostname)))
    return 'must begin with https://';
  if (hostname === 'login.microsoftonline.com' && /^\/(common|organizations|consumers)\b/i.test(pathname))
    return 'must hold the id of your own tenant: by this address anybody with a Microsoft account could sign in';
  return search === '' && hash === '' && username === ''
    ? undefined
    : 'must have no user name, no query, and no fragment';
}

const scope = text((written) =>
  /^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/.test(written)
    ? { value: written }
    : { wrong: 'must be a scope, without spaces, such as email' },
);

const rolesFields = object({
  claim: needed(text(plainText(100)), ''),
  map: needed(map(explicitList(oneOfWords(roles), 'none')), new Map<string, readonly Role[]>()),
});

const claimedRoles: Read<ClaimedRoles> = (tree, faults) => {
  const read = rolesFields(tree, faults);
  if (read === undefined) return undefined;
  const { claim, map: given, place, fieldPlaces } = read;
  if (given.size === 0 || given.size > maxMapped)
    faults.push({
      place: fieldPlaces.map ?? place,
      sentence: `must name 1 to ${maxMapped} values of the claim, each with its roles`,
    });
  return { claim, map: Object.fromEntries([...given].sort(([a], [b]) => (a < b ? -1 : 1))) };
};

export const identityProviders: Kind<ProviderPlan, IdentityProvider> = {
  section: 'oidc',
  within: 'file',
  noun: 'this identity provider',
  read: planned(
    {
      name: needed(providerName, ''),
      company: optional(name, undefined),
      label: optional(text(plainText(60)), undefined),
      issuer: optional(issuer, ''),
      clientId: optional(text(plainText(200)), ''),
      clientSecret: optional(text(plainText(500)), undefined),
      scopes: optional(explicitList(scope, 'profile and email', 20), ['profile', 'email']),
      username: optional(text(plainText(100)), 'preferred_username'),
      roles: optional(claimedRoles, undefined),
      create: optional(flag, false),
      shown: optional(flag, false),
      remove,
    },
    { needs: ['issuer', 'clientId'] },
  ),
  keyField: 'name',
  keyOf: ({ name }) => name,
  load: providerRecords.all,
  after(asked, before, _, keeps) {
    const { name, company, issuer, clientId, clientSecret, scopes, username, roles, create, shown } = asked;
    const label = asked.label ?? company ?? name;
    return keeping(
      { name, company, label, issuer, clientId, clientSecret, scopes, username, roles, create, shown },
      before,
      keeps,
    );
  },
  describe: lines(({ name }) => `identity provider ${name}`, {
    keys: ['name'],
    absent: { company: 'any', roles: 'as they are' },
    ordinary: { scopes: ['profile', 'email'], username: 'preferred_username', create: false, shown: false },
  }),
  faultsOf(asked, view) {
    const after = view.after(identityProviders).get(asked.name);
    if (asked.remove || after === undefined) return [];
    const { company, create, roles } = after;
    if (company !== undefined && !view.after(companies).has(company))
      return [faultAt(asked, 'company', `there is no company "${company}"`)];
    if (create && (company === undefined || roles === undefined))
      return [
        faultAt(asked, 'create', 'needs "company" and "roles" too: who is made, and with which rights'),
      ];
    return [];
  },
  faults: leftBehind,
  async protect(asked, before, { sealing }) {
    const { name, clientSecret } = asked;
    if (clientSecret === undefined) return asked;
    return {
      ...asked,
      clientSecret: sealing.seal(clientSecret, placeOfClientSecret(name), before?.clientSecret),
    };
  },
  create: providerRecords.put,
  change: providerRecords.put,
  async remove(transaction, removed) {
    await removeProviders(transaction, removed);
    await endSessionsOfProviders(
      transaction,
      removed.map(({ name }) => name),
    );
  },
  news: ['providers'],
};

/** Finds providers of companies that are removed. */
function leftBehind(view: View): readonly Fault[] {
  const after = [...view.after(identityProviders).values()];
  const [first] = [...view.asked(identityProviders).values()];
  const tooMany =
    first !== undefined && after.length > maxProviders
      ? [faultAt(first, 'name', `a service has at most ${maxProviders} identity providers`)]
      : [];
  const ofRemoved = removedAmong(view.asked(companies)).flatMap((company) => {
    const own = after.find((one) => one.company === company.name);
    if (own === undefined) return [];
    const sentence = `the identity provider ${own.name} is for users of the company ${company.name}; remove it too`;
    return [faultAt(company, 'remove', sentence)];
  });
  return [...tooMany, ...ofRemoved];
}
