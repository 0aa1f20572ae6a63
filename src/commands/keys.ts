/** `carillon keys`: what an operator does with the API keys of a user. A running server sees it within a second. */

import { Command } from 'commander';
import { type ApiKey, apiKeyState, enableKey, expireKey, listKeys, revokeKey } from '../accounts/api-keys.ts';
import { withStore } from '../app/open-store.ts';
import type { OperatorEvent } from '../app/operator-commands.ts';
import { readConfig } from '../config/config.ts';
import { systemClock } from '../foundation/clock.ts';
import { StartError } from '../foundation/errors.ts';
import { printJson } from '../foundation/terminal.ts';
import type { Store } from '../storage/store.ts';
import { parseTime } from '../wire/schedule-time.ts';
import { instant, iso, type JsonOption, jsonOption, printList } from './list.ts';
import { tellServer } from './tell-server.ts';

export function keysCommand(): Command {
  const keys = new Command('keys');
  keys
    .command('list <user>')
    .description("show a user's API keys")
    .option(...jsonOption)
    .action(list);
  keys
    .command('revoke <user> <name>')
    .description('make a key worthless, and refuse its name to the user')
    .option(...jsonOption)
    .action(revoke);
  keys
    .command('enable <user> <name>')
    .description('let the user have a key of this name again; its text is another one then')
    .option(...jsonOption)
    .action(enable);
  keys
    .command('expire <user> <name> <time>')
    .description('let a key end at a time: 2030-12-31T23:59Z, now, or never')
    .option(...jsonOption)
    .action(expire);
  return keys;
}

async function list(username: string, options: JsonOption): Promise<void> {
  await administer(async (store) => {
    printKeys(await listKeys(store, username), `The user ${username} has no API keys.`, options);
  });
}

async function revoke(username: string, name: string, options: JsonOption): Promise<void> {
  await administer(async (store, tell) => {
    printKey(await revokeKey(store, { username, name }), options);
    await tell({ event: 'key_revoked', username, object: name });
  });
}

async function enable(username: string, name: string, options: JsonOption): Promise<void> {
  await administer(async (store, tell) => {
    printKey(await enableKey(store, systemClock, { username, name }), options);
    await tell({ event: 'key_enabled', username, object: name });
  });
}

async function expire(username: string, name: string, text: string, options: JsonOption): Promise<void> {
  const time = endOf(text);
  await administer(async (store, tell) => {
    printKey(await expireKey(store, { username, name }, time), options);
    await tell({ event: 'key_expiry_set', username, object: `${name}: ${text}` });
  });
}

/** Undefined: never. */
function endOf(text: string): number | undefined {
  if (text === 'never') return undefined;
  if (text === 'now') return systemClock.now();
  const time = parseTime(text);
  if (time.ok) return time.value;
  throw new StartError(time.error);
}

async function administer(
  work: (store: Store, tell: (event: OperatorEvent) => Promise<void>) => Promise<void>,
): Promise<void> {
  const config = readConfig(process.env);
  await withStore(config, (store) => work(store, (event) => tellServer(config, event)));
}

/** One key is an object to programs, and a list of one to people. */
function printKey(key: ApiKey, options: JsonOption): void {
  if (options.json) printJson(keyJson(key, systemClock.now()), 2);
  else printKeys([key], '', options);
}

function printKeys(keys: readonly ApiKey[], none: string, options: JsonOption): void {
  const now = systemClock.now();
  const columns = {
    NAME: ({ name }: ApiKey) => name,
    STATE: (key: ApiKey) => apiKeyState(key, now),
    CREATED: ({ createdAt }: ApiKey) => instant(createdAt),
    USED: ({ usedAt }: ApiKey) => (usedAt === undefined ? 'never' : instant(usedAt)),
    EXPIRES: ({ expiresAt }: ApiKey) => (expiresAt === undefined ? 'never' : instant(expiresAt)),
  };
  printList(keys, { none, columns, toJson: (key) => keyJson(key, now) }, options);
}

function keyJson(key: ApiKey, now: number): object {
  return {
    name: key.name,
    state: apiKeyState(key, now),
    createdAt: iso(key.createdAt),
    usedAt: key.usedAt === undefined ? null : iso(key.usedAt),
    expiresAt: key.expiresAt === undefined ? null : iso(key.expiresAt),
  };
}
