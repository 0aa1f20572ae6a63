/** `carillon keys`: manages a user's API keys. A running server sees a change within a second. */
import { Command } from 'commander';
import {
  type ApiKey,
  type ApiKeyState,
  apiKeyState,
  enableKey,
  expireKey,
  type KeyLimits,
  limitKey,
  listKeys,
  revokeKey,
} from '../accounts/api-keys.ts';
import { keyScope, scopesInWords } from '../accounts/key-scopes.ts';
import type { OperatorEvent } from '../app/operator-commands.ts';
import { systemClock } from '../foundation/clock.ts';
import { StartError } from '../foundation/errors.ts';
import { eachOf, orThrow, type Result } from '../foundation/result.ts';
import { printJson } from '../foundation/terminal.ts';
import type { Store } from '../storage/store.ts';
import { network } from '../wire/network-list.ts';
import { parseTime } from '../wire/schedule-time.ts';
import { type Api, userNamed } from './api.ts';
import { actsAsEither, type CallerOptions } from './as-caller.ts';
import { inStore } from './as-operator.ts';
import { columnsBy, instant, iso, type JsonOption, printList, type Shape } from './list.ts';
import { tellServer } from './tell-server.ts';

/** The API does not accept a key for calls that manage keys. */
const caller = { needsPassword: true };

export function keysCommand(): Command {
  const keys = new Command('keys');
  actsAsEither(keys.command('list [user]'), listAsUser, list, caller).description(
    'show the API keys of a user (default: the user you act as)',
  );
  actsAsEither(keys.command('revoke <user> <name>'), revokeAsUser, revoke, caller).description(
    'revoke a key, and prevent the user from reusing its name',
  );
  actsAsEither<[string, string, Options]>(
    keys.command('enable <user> <name>'),
    enableAsUser,
    enable,
    caller,
  ).description('let the user create a new key with the name of a revoked key');
  actsAsEither(keys.command('expire <user> <name> <time>'), expireAsUser, expire, caller).description(
    'set when a key expires: 2030-12-31T23:59Z, now, or never',
  );
  actsAsEither<[string, string, LimitOptions]>(
    keys
      .command('limit <user> <name>')
      .option('--scopes <scopes>', `what the key may do: ${scopesInWords}; or all that its user may`)
      .option('--networks <networks>', 'from where it is accepted: 10.0.0.0/8,192.0.2.7; or all'),
    limitAsUser,
    limit,
    caller,
  ).description('limit what a key may do, and from where');
  return keys;
}

type Options = CallerOptions & JsonOption;

interface LimitOptions extends Options {
  readonly scopes?: string;
  readonly networks?: string;
}

interface Row {
  readonly name: string;
  readonly state: ApiKeyState;
  readonly created: string;
  readonly used?: string | undefined;
  readonly expires?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly networks?: readonly string[] | undefined;
}

const columns = {
  NAME: ({ name }: Row) => name,
  STATE: ({ state }: Row) => state,
  CREATED: ({ created }: Row) => instant(created),
  USED: ({ used }: Row) => (used === undefined ? 'never' : instant(used)),
  EXPIRES: ({ expires }: Row) => (expires === undefined ? 'never' : instant(expires)),
  SCOPES: ({ scopes }: Row) => scopes?.join(','),
  NETWORKS: ({ networks }: Row) => networks?.join(','),
};

async function listAsUser(api: Api, user: string | undefined, options: Options): Promise<void> {
  if (user === undefined) requirePassword(api);
  const { keys } = await keysAsUser(api, user);
  printList(keys, { none: `The user ${user ?? api.username} has no API keys.`, columns }, options);
}

async function revokeAsUser(api: Api, user: string, name: string, options: Options): Promise<void> {
  requirePassword(api);
  const { owner, key } = await keyAsUser(api, user, name);
  const revoked =
    owner === undefined
      ? await api.post('/api/v1/apikeys/{id}/revoke', { id: key })
      : await api.post('/api/v1/users/{id}/apikeys/{key}/revoke', { id: owner, key });
  printKey(revoked, { none: '', columns }, options);
}

async function enableAsUser(): Promise<void> {
  throw new StartError('Only the operator can enable a key. Give --operator.');
}

async function expireAsUser(api: Api, user: string, name: string, text: string, options: Options) {
  requirePassword(api);
  const { owner, key: id } = await keyAsUser(api, user, name);
  const expires = iso(endOf(text, api.answeredAt)) ?? '';
  const key =
    owner === undefined
      ? await api.patch('/api/v1/apikeys/{id}', { id, expires })
      : await api.patch('/api/v1/users/{id}/apikeys/{key}', { id: owner, key: id, expires });
  printKey(key, { none: '', columns }, options);
  if (text === 'now' && key.state === 'enabled')
    throw new StartError('The key is still valid, because the server’s clock is behind that time.');
}

async function limitAsUser(api: Api, user: string, name: string, options: LimitOptions) {
  requirePassword(api);
  const given = Object.entries(limitsIn(options));
  const { owner, key: id } = await keyAsUser(api, user, name);
  // The empty text takes a limit away.
  const limits = Object.fromEntries(given.map(([limit, value]) => [limit, value ?? '']));
  const key =
    owner === undefined
      ? await api.patch('/api/v1/apikeys/{id}', { id, ...limits })
      : await api.patch('/api/v1/users/{id}/apikeys/{key}', { id: owner, key: id, ...limits });
  printKey(key, { none: '', columns }, options);
}

/** An API key does not say which user it belongs to, and the API does not accept a key here. */
function requirePassword({ username }: Api): void {
  if (username === undefined)
    throw new StartError(
      'This requires a password. Set CARILLON_USER and CARILLON_PASSWORD, or give --user.',
    );
}

/** `owner` is the id of another user, whom the caller administers; undefined when the keys are the caller's own. */
async function keysAsUser(api: Api, user: string | undefined) {
  if (user === undefined || user === api.username)
    return { owner: undefined, keys: await api.list('/api/v1/apikeys', 'apiKeys') };
  const { id } = await userNamed(api, user);
  return { owner: id, keys: await api.list('/api/v1/users/{id}/apikeys', 'apiKeys', Infinity, { id }) };
}

async function keyAsUser(api: Api, user: string, name: string) {
  const { owner, keys } = await keysAsUser(api, user);
  const found = keys.find((key) => key.name === name);
  if (found === undefined)
    throw new StartError(`The user ${user} has no API key named ${JSON.stringify(name)}.`);
  return { owner, key: found.id };
}

function shapeAt(now: number, none: string): Shape<ApiKey> {
  const rowOf = (key: ApiKey) => ({
    name: key.name,
    state: apiKeyState(key, now),
    created: iso(key.createdAt),
    used: iso(key.usedAt),
    expires: iso(key.expiresAt),
    scopes: key.scopes,
    networks: key.networks,
  });
  const toJson = (key: ApiKey) => {
    const { name, state, created, used = null, expires = null, scopes = null, networks = null } = rowOf(key);
    return { name, state, createdAt: created, usedAt: used, expiresAt: expires, scopes, networks };
  };
  return { none, columns: columnsBy(rowOf, columns), toJson };
}

async function list(username: string | undefined, options: Options): Promise<void> {
  if (username === undefined) throw new StartError('Give the name of a user: carillon keys list USER');
  await inStore(async (store) => {
    const none = `The user ${username} has no API keys.`;
    printList(await listKeys(store, username), shapeAt(systemClock.now(), none), options);
  });
}

function revoke(username: string, name: string, options: Options): Promise<void> {
  const event = { event: 'key_revoked', username, object: name } as const;
  return act(event, options, (store) => revokeKey(store, { username, name }));
}

function enable(username: string, name: string, options: JsonOption): Promise<void> {
  const event = { event: 'key_enabled', username, object: name } as const;
  return act(event, options, (store) => enableKey(store, systemClock, { username, name }));
}

function expire(username: string, name: string, text: string, options: Options): Promise<void> {
  const time = endOf(text, systemClock.now());
  const event = { event: 'key_expiry_set', username, object: `${name}: ${text}` } as const;
  return act(event, options, (store) => expireKey(store, { username, name }, time));
}

function limit(username: string, name: string, options: LimitOptions): Promise<void> {
  const limits = limitsIn(options);
  const object = `${name}: ${Object.values(limits)
    .map((one) => one?.join(',') ?? 'all')
    .join('; ')}`;
  const event = { event: 'key_limits_set', username, object } as const;
  return act(event, options, (store) => limitKey(store, { username, name }, limits));
}

async function act(
  event: OperatorEvent,
  options: JsonOption,
  work: (store: Store) => Promise<ApiKey>,
): Promise<void> {
  await inStore(async (store, config) => {
    printKey(await work(store), shapeAt(systemClock.now(), ''), options);
    await tellServer(config, event);
  });
}

/** Programs get a single key as an object, people as a one-line list. */
function printKey<Key extends object>(key: Key, shape: Shape<Key>, options: JsonOption): void {
  if (options.json) printJson(shape.toJson?.(key) ?? key, 2);
  else printList([key], shape, options);
}

/** `all` takes a limit away. */
function limitsIn({ scopes, networks }: LimitOptions): KeyLimits {
  if (scopes === undefined && networks === undefined)
    throw new StartError('Give --scopes or --networks, or both.');
  return {
    ...(scopes !== undefined && { scopes: listIn(scopes, keyScope) }),
    ...(networks !== undefined && { networks: listIn(networks, network) }),
  };
}

function listIn<Item>(text: string, rule: (item: string) => Result<Item>): readonly Item[] | null {
  return text === 'all'
    ? null
    : orThrow(
        eachOf(
          text.split(',').map((item) => item.trim()),
          rule,
        ),
      );
}

/** Undefined means never. */
function endOf(text: string, now: number): number | undefined {
  if (text === 'never') return undefined;
  if (text === 'now') return now;
  const time = parseTime(text);
  if (time.ok) return time.value;
  throw new StartError(time.error);
}
