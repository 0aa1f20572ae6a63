/** `carillon user`: which users and operators there are, and a new password for one of them. */

import { Command } from 'commander';
import type { Account } from '../accounts/account.ts';
import { allOperators, allUsers, findUser, requireLogin, setPassword } from '../accounts/administer-users.ts';
import { type ApiKey, apiKeyState, listKeys } from '../accounts/api-keys.ts';
import { Passwords } from '../accounts/password.ts';
import { withStore } from '../app/open-store.ts';
import { serverSecret } from '../app/server-secret.ts';
import { operator } from '../audit/audit-log.ts';
import { publicUrl, readConfig } from '../config/config.ts';
import { systemClock } from '../foundation/clock.ts';
import { print, printJson } from '../foundation/terminal.ts';
import { sessionSecret } from '../portal/session.ts';
import { makeLink } from '../portal/sign-in.ts';
import type { Store } from '../storage/store.ts';
import { type JsonOption, jsonOption, printChange, printList } from './list.ts';
import { readNewPassword } from './read-password.ts';
import { tellServer } from './tell-server.ts';

export function userCommand(): Command {
  const user = new Command('user');
  user
    .command('list')
    .description('list the users of all companies')
    .option('--operators', 'list the operators instead')
    .option(...jsonOption)
    .action(list);
  user
    .command('show <user>')
    .description('show what a user is and may do')
    .option(...jsonOption)
    .action(show);
  user
    .command('passwd <user>')
    .description('set a new password, typed twice, or as the one line of standard input')
    .option('--operator', 'of an operator')
    .option(...jsonOption)
    .action(passwd);
  user
    .command('link <user>')
    .description(
      'print a link that signs a user into the portal to choose a password; good once, for 30 minutes',
    )
    .option(...jsonOption)
    .action(link);
  return user;
}

interface ListOptions extends JsonOption {
  readonly operators?: boolean;
}

async function list(options: ListOptions): Promise<void> {
  const none = (kind: string) => `There are no ${kind}: apply a provisioning file that has some.`;
  await withStore(readConfig(process.env), async (store) => {
    if (options.operators) {
      const columns = { OPERATOR: ({ username }: { username: string }) => username };
      const toJson = ({ username }: { username: string }) => ({ username });
      return printList(await allOperators(store), { none: none('operators'), columns, toJson }, options);
    }
    printList(await allUsers(store), { none: none('users'), columns: userColumns, toJson }, options);
  });
}

const userColumns = {
  USER: ({ user }: Account) => user.username,
  STATE: (account: Account) => stateOf(account),
  COMPANY: ({ company }: Account) => company.name,
  ROLES: ({ user }: Account) => user.roles.join(' ') || 'none',
  PASSWORD: ({ user }: Account) => (user.passwordHash === undefined ? 'none' : 'set'),
  ID: ({ user }: Account) => String(user.id),
};

function toJson({ user, company }: Account): object {
  const { username, id, roles, passwordHash } = user;
  const hasPassword = passwordHash !== undefined;
  return { username, id, company: company.name, state: stateOf({ user, company }), roles, hasPassword };
}

function stateOf({ user, company }: Account): string {
  if (!user.active) return 'inactive';
  return company.active ? 'active' : 'company inactive';
}

async function show(username: string, { json = false }: JsonOption): Promise<void> {
  await withStore(readConfig(process.env), async (store: Store) => {
    const account = await findUser(store, username);
    const keys: readonly ApiKey[] = await listKeys(store, username);
    const enabled = keys.filter((key) => apiKeyState(key, systemClock.now()) === 'enabled');
    const facts = factsOf(account, enabled.length);
    if (json) return printJson(facts, 2);
    for (const [name, value] of Object.entries(facts)) print(`${words(name).padEnd(20)}${shown(value)}`);
  });
}

function factsOf({ user, company }: Account, enabledApiKeys: number) {
  const { id, roles, limits, quotaParts, senders, maxBatch } = user;
  return {
    username: user.username,
    id,
    company: company.name,
    roles,
    enabledApiKeys,
    state: stateOf({ user, company }),
    hasPassword: user.passwordHash !== undefined,
    defaultSender: user.defaultSender ?? company.defaultSender ?? null,
    senders: senders ?? 'any',
    countries: limits?.countries ?? company.limits?.countries ?? 'any',
    quotaParts: quotaParts ?? 'unlimited',
    maxBatch: maxBatch ?? 'as many as anybody’s',
    replaceCharacters: user.replaceCharacters,
  };
}

/** `defaultSender` as people write it. */
function words(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace('api keys', 'API keys');
}

function shown(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.join(' ') || 'none';
  return value === null ? 'none' : String(value);
}

interface PasswdOptions extends JsonOption {
  readonly operator?: boolean;
}

async function passwd(username: string, { operator, ...options }: PasswdOptions): Promise<void> {
  const kind = operator ? 'operator' : 'user';
  const config = readConfig(process.env);
  await withStore(config, async (store) => {
    // Nobody types a password twice to hear that there is no such user.
    await requireLogin(store, kind, username);
    const password = await readNewPassword(username);
    await setPassword(store, new Passwords(), { kind, username, password });
    const sentence = `The ${kind} ${username} has a new password. The old one is no longer right, within a second on every node.`;
    printChange({ kind, username }, [sentence], options);
    await tellServer(config, {
      event: 'password_set',
      ...(operator ? {} : { username }),
      object: `${kind} ${username}`,
    });
  });
}

async function link(username: string, options: JsonOption): Promise<void> {
  const config = readConfig(process.env);
  await withStore(config, async (store) => {
    const { user } = await findUser(store, username);
    const services = { store, clock: systemClock, secret: sessionSecret(serverSecret(config)) };
    const path = await makeLink(services, { username: user.username, companyId: null, by: operator });
    const url = `${publicUrl(config, config.http.port)}${path}`;
    printChange({ username: user.username, link: url }, [url], options);
    await tellServer(config, { event: 'link_made', username, object: `user ${username}` });
  });
}
