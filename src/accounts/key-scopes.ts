/**
 * The scopes of API keys. A key with scopes may make only the calls of these scopes, and of those only what its user may; a
 * key without any may make all calls of its user. This is the one place that says which scope a call takes.
 */
import { ServiceError } from '../foundation/errors.ts';
import { fault, quoted, type Result, success } from '../foundation/result.ts';

/**
 * `read`: messages, batches, runs, alerts, address books and usage. `send`: messages and batches, and whatever is done with
 * them. `jobs`: starting saved jobs, and their runs; ending alerts. `contacts`: changing address books and opt-outs. `webhooks`:
 * webhooks and their events. `email`: the list of e-mail senders. `alerts`: posting alerts. `admin`: whatever else administrators
 * do.
 */
export const keyScopes = [
  'read',
  'send',
  'jobs',
  'contacts',
  'webhooks',
  'email',
  'alerts',
  'admin',
] as const;

/** Alerts for one receiver, by its name. */
const ofReceiver = 'alerts:';
type ScopeOfCalls = (typeof keyScopes)[number];
export type KeyScope = ScopeOfCalls | `${typeof ofReceiver}${string}`;

/** All scopes, for people. */
export const scopesInWords = [...keyScopes, `${ofReceiver}NAME`].join(', ');
/** A scope with the longest name of a receiver. */
export const maxScopeLength = ofReceiver.length + 100;
/** A key may have this many. */
export const maxScopes = 20;

export function keyScope(given: string): Result<KeyScope> {
  const found = keyScopes.find((one) => one === given);
  if (found !== undefined) return success(found);
  if (given.startsWith(ofReceiver) && given.length > ofReceiver.length && given.length <= maxScopeLength)
    return success(given as KeyScope);
  return fault('invalid_value', { sentence: 'not_one_of', given: quoted(given), words: scopesInWords });
}

/** Whether a key may make a call. Which receiver a post is for is seen when its path is read: see `mayPostTo`. */
export function hasScope(scopes: ReadonlySet<KeyScope> | undefined, scope: KeyScope): boolean {
  if (scopes === undefined || scopes.has(scope)) return true;
  return scope === 'alerts' && [...scopes].some((one) => one.startsWith(ofReceiver));
}

export function mayPostTo(scopes: ReadonlySet<KeyScope> | undefined, receiver: string): boolean {
  return scopes === undefined || scopes.has('alerts') || scopes.has(`${ofReceiver}${receiver}`);
}

/** What reading a noun of `/api/v1` takes, and what everything else that is done with it takes. */
const ofNouns: Readonly<Record<string, readonly [reading: ScopeOfCalls, doing: ScopeOfCalls]>> = {
  send: ['read', 'send'],
  messages: ['read', 'send'],
  sendings: ['read', 'send'],
  scheduled: ['read', 'send'],
  batches: ['read', 'send'],
  conversations: ['read', 'send'],
  templates: ['read', 'send'],
  simulator: ['read', 'send'],
  jobs: ['read', 'jobs'],
  runs: ['read', 'jobs'],
  addressbooks: ['read', 'contacts'],
  optouts: ['read', 'contacts'],
  find: ['read', 'read'],
  start: ['read', 'read'],
  usage: ['read', 'read'],
  quota: ['read', 'read'],
  carriers: ['read', 'read'],
  people: ['read', 'admin'],
  webhooks: ['webhooks', 'webhooks'],
  events: ['webhooks', 'webhooks'],
  email: ['email', 'email'],
  alerts: ['alerts', 'alerts'],
  incidents: ['read', 'jobs'],
  alertreceivers: ['admin', 'admin'],
  audit: ['admin', 'admin'],
  company: ['admin', 'admin'],
  users: ['admin', 'admin'],
  systemusers: ['admin', 'admin'],
  savedjobs: ['admin', 'admin'],
  jobtypes: ['admin', 'admin'],
  numbers: ['admin', 'admin'],
  unrouted: ['admin', 'admin'],
};

/** The other calls do the same whatever their method. */
const ofOtherCalls: Readonly<Record<string, ScopeOfCalls>> = {
  '/restsms/svcrest/send': 'send',
  '/restsms/svcrest/send/single': 'send',
  '/restsms/svcrest/batchsend/json': 'send',
  '/restsms/svcrest/batchsend/list': 'send',
  '/restsms/svcrest/status': 'read',
  '/restsms/svcrest/status/single': 'read',
  '/restsms/svcrest/incoming': 'read',
  '/restsms/svcrest/incoming/single': 'read',
  '/restsms/svcrest/batchinfo': 'read',
  '/restsms/svcrest/batchmessageid': 'read',
  '/restsms/svcrest/batchmessagestatus': 'read',
  '/restsms/svcrest/batchstatuscount': 'read',
  '/restsms/svcrest/emailtosms/set': 'email',
  '/restsms/svcrest/emailtosms/unset': 'email',
  '/restsms/svcrest/emailtosms/default': 'email',
  '/restsms/svcrest/emailtosms/querydomains': 'email',
  '/dispatch/svcdispatch/listsavedjobs': 'read',
  '/dispatch/svcdispatch/startsavedjob': 'jobs',
};

interface KeyCall {
  readonly path: string;
  readonly methods: readonly string[];
}

/** Throws for a call that has none: each call that accepts keys needs one. */
export function scopeOf({ path, methods }: KeyCall): ScopeOfCalls {
  const noun = /^\/api\/v1\/([a-z]+)/.exec(path)?.[1];
  const [reading, doing] = (noun === undefined ? undefined : ofNouns[noun]) ?? [];
  const scope = ofOtherCalls[path] ?? (methods.includes('GET') ? reading : doing);
  if (scope === undefined) throw new Error(`accounts/key-scopes.ts does not say which scope ${path} takes`);
  return scope;
}

export function scopeMissing(scope: KeyScope): ServiceError {
  return new ServiceError('scope_missing', { sentence: 'scope_missing', scope });
}
