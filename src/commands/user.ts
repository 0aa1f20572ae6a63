/** `carillon user`: lists users and operators, and sets a new password for one of them. */
import { Command } from 'commander';
import type { Account } from '../accounts/account.ts';
import { apiKeyState, listKeys } from '../accounts/api-keys.ts';
import { operator } from '../audit/audit-log.ts';
import type { Config } from '../config/config.ts';
import { systemClock } from '../foundation/clock.ts';
import { StartError } from '../foundation/errors.ts';
import { print, printJson } from '../foundation/terminal.ts';
import type { Store } from '../storage/store.ts';
import { type AnswerOf, type Api, userNamed } from './api.ts';
import { actsAsEither, type CallerOptions } from './as-caller.ts';
import { inStore } from './as-operator.ts';
import {
  columnsBy,
  type Fact,
  factLines,
  type JsonOption,
  jsonOption,
  printChange,
  printList,
} from './list.ts';
import { readNewPassword } from './read-password.ts';
import { tellServer } from './tell-server.ts';

export function userCommand(): Command {
  const user = new Command('user');
  actsAsEither(user.command('list'), listAsUser, list)
    .description('list the users of all companies; as an administrator, those of your company')
    .option('--operators', 'list the operators instead');
  actsAsEither(user.command('show <user>'), showAsUser, show).description(
    'show a user’s settings and rights',
  );
  user
    .command('passwd <user>')
    .description('set a new password, which is typed twice or given as one line on standard input')
    .option('--operator', 'for an operator instead of a user')
    .option(...jsonOption)
    .action(passwd);
  user
    .command('smpp-passwd <user>')
    .description('make a new password for a user’s SMPP login, and print it, once')
    .option(...jsonOption)
    .action(smppPasswd);
  user
    .command('link <user>')
    .description(
      'print a link that signs a user into the portal to choose a password; valid once, for 30 minutes',
    )
    .option(...jsonOption)
    .action(link);
  user
    .command('factors <user>')
    .description('show which second factors a user has')
    .option('--remove', 'remove all of them, for a user who has lost them, and end the user’s sessions')
    .option('--operator', 'for an operator instead of a user')
    .option(...jsonOption)
    .action(factors);
  return user;
}

/** Loaded on demand, because it hashes passwords, which commands that run as a user do not need. */
const administration = () => import('../accounts/administer-users.ts');

interface ListOptions extends CallerOptions, JsonOption {
  readonly operators?: boolean;
}

type OwnUser = AnswerOf<'GET', '/api/v1/users'>['users'][number];

interface Row extends Pick<OwnUser, 'username' | 'hasPassword'> {
  readonly id: number | string;
  readonly state: string;
  readonly company: string | undefined;
  readonly roles: readonly string[];
}

const none = (kind: string) => `There are no ${kind}. Apply a provisioning file that has some.`;
const columns = {
  USER: ({ username }: Row) => username,
  STATE: ({ state }: Row) => state,
  COMPANY: ({ company }: Row) => company,
  ROLES: ({ roles }: Row) => roles.join(' ') || 'none',
  PASSWORD: ({ hasPassword }: Row) => (hasPassword ? 'set' : 'none'),
  ID: ({ id }: Row) => String(id),
};

function ownRow(user: OwnUser): Row {
  return { ...user, state: user.active ? 'active' : 'inactive', company: undefined };
}

async function listAsUser(api: Api, { operators, ...options }: ListOptions): Promise<void> {
  if (operators) throw new StartError('Users cannot see the operators. Give --operator.');
  const users = await api.list('/api/v1/users', 'users');
  printList(users, { none: none('users'), columns: columnsBy(ownRow, columns) }, options);
}

function rowOf({ user, company }: Account) {
  const { username, id, roles, passwordHash } = user;
  const state = !user.active ? 'inactive' : company.active ? 'active' : 'company inactive';
  return { username, id, company: company.name, state, roles, hasPassword: passwordHash !== undefined };
}

async function list({ operators, ...options }: ListOptions): Promise<void> {
  const { allOperators, allUsers } = await administration();
  await inStore(async (store) => {
    if (operators) {
      const names = { OPERATOR: ({ username }: { readonly username: string }) => username };
      return printList(await allOperators(store), { none: none('operators'), columns: names }, options);
    }
    const shape = { none: none('users'), columns: columnsBy(rowOf, columns), toJson: rowOf };
    printList(await allUsers(store), shape, options);
  });
}

async function showAsUser(api: Api, username: string, { json = false }: CallerOptions & JsonOption) {
  const user = await userNamed(api, username);
  if (json) return printJson(user, 2);
  const settings = {
    defaultSender: user.defaultSender ?? 'same as the company',
    senders: user.senders ?? 'any',
    countries: user.countries ?? 'same as the company',
    quotaParts: user.quotaParts ?? 'only the company quota',
  };
  printFacts(factsOf(ownRow(user), user, settings));
}

async function show(username: string, { json = false }: CallerOptions & JsonOption): Promise<void> {
  const { findUser } = await administration();
  await inStore(async (store) => {
    const account = await findUser(store, username);
    const { user, company } = account;
    const settings = {
      defaultSender: user.defaultSender ?? company.defaultSender ?? null,
      senders: user.senders ?? 'any',
      countries: user.limits?.countries ?? company.limits?.countries ?? 'any',
      quotaParts: user.quotaParts ?? 'unlimited',
    };
    const keys = await listKeys(store, username);
    const enabled = keys.filter((key) => apiKeyState(key, systemClock.now()) === 'enabled');
    const facts = factsOf(rowOf(account), user, settings, enabled.length);
    if (json) printJson(facts, 2);
    else printFacts(facts);
  });
}

/** In the order in which they are shown. */
function factsOf(row: Row, user: Account['user'] | OwnUser, settings: object, enabledApiKeys?: number) {
  const { username, id, company, roles, state, hasPassword } = row;
  const { maxBatch = 'the standard limit', replaceCharacters } = user;
  const facts = { username, id, company, roles, enabledApiKeys, state, hasPassword };
  return { ...facts, ...settings, maxBatch, replaceCharacters };
}

function printFacts(facts: object): void {
  const shown = Object.entries(facts).map(([name, value]): Fact => [words(name), textOf(value)]);
  print(...factLines(shown, 20));
}

/** `defaultSender` as people write it. */
function words(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace('api keys', 'API keys');
}

function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.join(' ') || 'none';
  return value === null ? 'none' : String(value);
}

interface PasswdOptions extends JsonOption {
  readonly operator?: boolean;
}

async function passwd(username: string, { operator, ...options }: PasswdOptions): Promise<void> {
  const [{ Passwords }, { requireLogin, setPassword }] = await Promise.all([
    import('../accounts/password.ts'),
    administration(),
  ]);
  const kind = operator ? 'operator' : 'user';
  await inStore(async (store, config) => {
    // Check first: no one should type a password twice only to learn that there is no such user.
    await requireLogin(store, kind, username);
    const password = await readNewPassword(username);
    await setPassword(store, new Passwords(), { kind, username, password, now: systemClock.now() });
    const sentence = `The ${kind} ${username} has a new password. The old one stops working within a second on every node.`;
    printChange({ kind, username }, [sentence], options);
    await tellServer(config, {
      event: 'password_set',
      ...(operator ? {} : { username }),
      object: `${kind} ${username}`,
    });
  });
}

async function smppPasswd(username: string, options: JsonOption): Promise<void> {
  const [{ Passwords }, { makeSmppPassword }] = await Promise.all([
    import('../accounts/password.ts'),
    administration(),
  ]);
  await inStore(async (store, config) => {
    const order = { username, now: systemClock.now() };
    const { systemId, password } = await makeSmppPassword(store, new Passwords(), order);
    const sentence = `The password of the SMPP login ${systemId} is ${password}. It is not shown again; the old one stops working within a second on every node.`;
    printChange({ username, systemId, password }, [sentence], options);
    await tellServer(config, { event: 'password_set', username, object: `SMPP login ${systemId}` });
  });
}

async function link(username: string, options: JsonOption): Promise<void> {
  const [{ findUser }, { secretFor }, { publicUrl }, { sessionSecret }, { makeLink }] = await Promise.all([
    administration(),
    import('../app/open-store.ts'),
    import('../config/config.ts'),
    import('../portal/session.ts'),
    import('../portal/sign-in.ts'),
  ]);
  await inStore(async (store, config) => {
    const { user } = await findUser(store, username);
    const secret = sessionSecret(await secretFor(store, config));
    const services = { store, clock: systemClock, secret };
    const path = await makeLink(services, { username: user.username, companyId: null, by: operator });
    const url = `${publicUrl(config, config.http.port)}${path}`;
    printChange({ username: user.username, link: url }, [url], options);
    await tellServer(config, { event: 'link_made', username, object: `user ${username}` });
  });
}

interface FactorsOptions extends JsonOption {
  readonly remove?: boolean;
  readonly operator?: boolean;
}

async function factors(
  username: string,
  { remove = false, operator: isOperator = false, ...options }: FactorsOptions,
): Promise<void> {
  await inStore(async (store, config) => {
    const kind = isOperator ? 'operator' : 'user';
    const held = isOperator
      ? await heldByOperator(store, username)
      : await heldByUser(store, config, username);
    if (!remove) {
      const { totp, passkeys, recoveryDigests } = held.factors;
      const has = {
        username,
        codesOfAnApp: totp !== undefined,
        passkeys: passkeys.map(({ name }) => name),
        recoveryCodes: recoveryDigests.length,
      };
      if (options.json) printJson(has, 2);
      else printFacts(has);
      return;
    }
    const removed = await held.removeAll();
    const sentence = removed
      ? `The second factors of ${username} are removed, and the ${kind}’s sessions have ended. The password alone signs in again.`
      : `The ${kind} ${username} has no second factor.`;
    printChange({ username, removed }, [sentence], options);
    if (removed)
      await tellServer(config, {
        event: 'factor_removed',
        ...(isOperator ? {} : { username }),
        object: `${kind} ${username}`,
      });
  });
}

async function heldByUser(store: Store, config: Config, username: string) {
  const [{ findUser }, { resetFactorsOfUser, userFactors }, { outgoingDomain }] = await Promise.all([
    administration(),
    import('../portal/factor-store.ts'),
    import('../config/config.ts'),
  ]);
  const { user } = await findUser(store, username);
  return {
    factors: await store.read(userFactors.read, user.id),
    removeAll: async () => {
      const order = { by: operator, now: systemClock.now(), mailDomain: outgoingDomain(config) };
      return (await store.write(resetFactorsOfUser, { username, ...order })) === true;
    },
  };
}

async function heldByOperator(store: Store, username: string) {
  const [{ requireLogin }, { operatorFactors, resetOperatorFactors }] = await Promise.all([
    administration(),
    import('../operators/factor-store.ts'),
  ]);
  await requireLogin(store, 'operator', username);
  return {
    factors: await store.read(operatorFactors.read, username),
    removeAll: () => store.write(resetOperatorFactors, { username, now: systemClock.now() }),
  };
}
