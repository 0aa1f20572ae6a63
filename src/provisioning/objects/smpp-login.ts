/** The key `smpp` of a user in a provisioning file: the login of the user's programs at the SMPP server. */
import {
  greatestBinds,
  greatestThroughput,
  greatestWindow,
  maxLoginNetworks,
  type SmppLogin,
  smppPasswordFault,
  standardBinds,
  standardWindow,
  systemId,
} from '../../accounts/smpp-logins.ts';
import { network } from '../../wire/network-list.ts';
import type { Fault } from '../../yaml/fault.ts';
import {
  explicitList,
  type Located,
  needed,
  object,
  optional,
  ruled,
  text,
  wholeNumber,
} from '../../yaml/fields.ts';
import { faultAt, type Planned } from './planned.ts';

const fields = {
  systemId: needed(ruled(systemId), ''),
  password: optional(text(), undefined),
  binds: optional(wholeNumber(1, greatestBinds), standardBinds),
  window: optional(wholeNumber(1, greatestWindow), standardWindow),
  throughput: optional(wholeNumber(0, greatestThroughput), 0),
  networks: optional(explicitList(ruled(network), 'any', maxLoginNetworks), undefined),
};

export interface SmppLoginPlan extends Located<typeof fields> {
  /** Undefined when the password stays as it is. */
  readonly passwordHash: string | undefined;
}

export function smppLogin(...given: Parameters<ReturnType<typeof object>>): SmppLoginPlan | undefined {
  const read = object(fields)(...given);
  return read && { ...read, passwordHash: undefined };
}

export function loginAfter(
  asked: SmppLoginPlan | undefined,
  before: SmppLogin | undefined,
): SmppLogin | undefined {
  if (asked === undefined) return undefined;
  const { systemId, passwordHash, binds, window, throughput, networks } = asked;
  const hash = passwordHash ?? before?.passwordHash ?? '';
  return { systemId, passwordHash: hash, binds, window, throughput, networks };
}

export function smppPasswordFaults({ password, place, fieldPlaces }: SmppLoginPlan): readonly Fault[] {
  const sentence = password === undefined ? undefined : smppPasswordFault(password);
  return sentence === undefined ? [] : [{ place: fieldPlaces.password ?? place, sentence }];
}

/** How a line shows the login. */
export function shownLogin(login: SmppLogin | undefined): object {
  if (login === undefined) return { smpp: undefined, smppPassword: undefined };
  const { systemId, passwordHash, binds, window, throughput, networks } = login;
  const limits = [`${binds} binds`, `window ${window}`];
  const rate = throughput === 0 ? [] : [`${throughput} a second`];
  const from = networks === undefined ? [] : [`from ${networks.join(' ')}`];
  const password = passwordHash || undefined;
  return { smpp: [systemId, ...limits, ...rate, ...from].join(', '), smppPassword: password };
}

/** A system id belongs to one user only. */
export function sharedSystemIdFaults(
  asked: ReadonlyMap<string, Planned & { readonly smpp: SmppLoginPlan | undefined }>,
  after: ReadonlyMap<string, { readonly username: string; readonly smpp: SmppLogin | undefined }>,
): readonly Fault[] {
  const owners = new Map<string, string>();
  const faults: Fault[] = [];
  for (const { username, smpp } of after.values()) {
    if (smpp === undefined) continue;
    const other = owners.get(smpp.systemId);
    owners.set(smpp.systemId, username);
    if (other === undefined) continue;
    const user = asked.get(username) ?? asked.get(other);
    const owner = user === asked.get(username) ? other : username;
    if (user !== undefined)
      faults.push(faultAt(user, 'smpp', `the system id ${smpp.systemId} belongs to the user ${owner}`));
  }
  return faults;
}
