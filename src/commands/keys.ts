/** `carillon keys`: what an operator does with the API keys of a user. A running server sees it within a second. */
import { Command } from 'commander';
import type { ApiKey } from '../accounts/api-key.ts';
import type { OperatorEvent } from '../app/operator-events.ts';
import { systemClock } from '../foundation/clock.ts';
import type { Store } from '../storage/store.ts';
import { iso, type JsonOption, jsonOption, printList } from './list.ts';
import { instant } from './table.ts';
import { tellServer } from './tell-server.ts';

export function keysCommand(): Command {
  const keys = new Command('keys').description('list, revoke, enable and expire the API keys of a user');
  keys
    .command('list <user>')
    .description("show a user's API keys")
    .option(...jsonOption)
    .action(list);
  keys
    .command('revoke <user> <name>')
    .description('make a key worthless, and refuse its name to the user')
    .action(revoke);
  keys
    .command('enable <user> <name>')
    .description('let the user have a key of this name again; its text is another one then')
    .action(enable);
  keys
    .command('expire <user> <name> <time>')
    .description('let a key end at a time: 2030-12-31T23:59Z, now, or never')
    .action(expire);
  return keys;
}

function list(username: string, options: JsonOption): Promise<void> {
  return administer(async (store, { listKeys }) => {
    await printKeys(await listKeys(store, username), `The user ${username} has no API keys.`, options);
  });
}

function revoke(username: string, name: string): Promise<void> {
  return administer(async (store, { revokeKey }, tell) => {
    await printKeys([await revokeKey(store, { username, name })]);
    await tell({ event: 'key_revoked', username, object: name });
  });
}

function enable(username: string, name: string): Promise<void> {
  return administer(async (store, { enableKey }, tell) => {
    await printKeys([await enableKey(store, systemClock, { username, name })]);
    await tell({ event: 'key_enabled', username, object: name });
  });
}

async function expire(username: string, name: string, text: string): Promise<void> {
  const time = await endOf(text);
  await administer(async (store, { expireKey }, tell) => {
    await printKeys([await expireKey(store, { username, name }, time)]);
    await tell({ event: 'key_expiry_set', username, object: `${name}: ${text}` });
  });
}

/** Undefined: never. */
async function endOf(text: string): Promise<number | undefined> {
  if (text === 'never') return undefined;
  if (text === 'now') return systemClock.now();
  const { parseTime } = await import('../wire/schedule-time.ts');
  const time = parseTime(text);
  if (time.ok) return time.value;
  const { StartError } = await import('../foundation/errors.ts');
  throw new StartError(time.error);
}

type Administration = typeof import('../accounts/administer-api-keys.ts');

async function administer(
  work: (
    store: Store,
    administration: Administration,
    tell: (event: OperatorEvent) => Promise<void>,
  ) => Promise<void>,
): Promise<void> {
  const [{ readConfig }, { withStore }, administration] = await Promise.all([
    import('../config/config.ts'),
    import('../app/open-store.ts'),
    import('../accounts/administer-api-keys.ts'),
  ]);
  const config = readConfig(process.env);
  await withStore(config, (store) => work(store, administration, (event) => tellServer(config, event)));
}

async function printKeys(keys: readonly ApiKey[], none = '', options: JsonOption = {}): Promise<void> {
  const { apiKeyState } = await import('../accounts/api-key.ts');
  const now = systemClock.now();
  const columns = {
    NAME: ({ name }: ApiKey) => name,
    STATE: (key: ApiKey) => apiKeyState(key, now),
    CREATED: ({ createdAt }: ApiKey) => instant(createdAt),
    EXPIRES: ({ expiresAt }: ApiKey) => (expiresAt === undefined ? 'never' : instant(expiresAt)),
  };
  const toJson = (key: ApiKey) => ({
    name: key.name,
    state: apiKeyState(key, now),
    createdAt: iso(key.createdAt),
    expiresAt: key.expiresAt === undefined ? null : iso(key.expiresAt),
  });
  printList(keys, { none, columns, toJson }, options);
}
