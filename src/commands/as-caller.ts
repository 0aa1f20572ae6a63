/**
 * In whose name a command acts. As a user, by the API: of a server at an address with a key or a password, or of the server
 * on this machine over the operator's socket, which asks for neither. As the operator, who sees all companies: by the store.
 */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { webUrl } from '../config/environment.ts';
import { StartError } from '../foundation/errors.ts';
import { isLoopback } from '../http/origin.ts';
import { Api, type Door } from './api.ts';
import { type JsonOption, jsonOption } from './list.ts';
import { machineAccount } from './machine-account.ts';

export interface CallerOptions {
  readonly user?: string;
  readonly url?: string | undefined;
  readonly key?: string;
  readonly keyFile?: string;
  readonly insecure?: boolean | undefined;
  /** Given to commands that act as either. */
  readonly operator?: boolean | undefined;
  /** What it calls takes no key: a password in the environment goes before one that stands there too. */
  readonly needsPassword?: boolean;
  /** Only operators name one: the environment makes no caller of them. */
  readonly company?: string | undefined;
}

export function withCaller(command: Command): Command {
  return command
    .option('--user <username>', 'as this user, at the server that runs on CARILLON_DATA')
    .option('--url <url>', 'as the user of a key, at the server there (CARILLON_URL)')
    .option('--key-file <file>', 'where the key stands, in place of CARILLON_KEY')
    .option('--key <key>', 'the key itself: others on this machine can see the words of a command')
    .option(...insecureOption);
}

export const insecureOption = ['--insecure', 'let the key go over HTTP, where others can read it'] as const;
export const operatorOption = [
  '--operator',
  'as the operator, in the store on this machine, whatever the environment says',
] as const;

/** Adds what a command takes that acts as either. */
export function withEither(command: Command): Command {
  return withCaller(command).option(...operatorOption);
}

/** A command with others below it has the same options as they: theirs are to stand behind their names. */
export function refuseOptionsBefore(command: Command): Command {
  return command.hook('preSubcommand', (above, below) => {
    const given = above.options.find(
      (option) => above.getOptionValueSource(option.attributeName()) === 'cli',
    );
    if (given !== undefined) throw new StartError(`Give ${given.long} behind ${below.name()}.`);
  });
}

/** Undefined: the operator acts. CARILLON_URL alone makes no caller: it says nobody's name. */
export async function callerApi(options: CallerOptions): Promise<Api | undefined> {
  const { user, url, key, keyFile, insecure = false, operator = false, company } = options;
  const isKeyGiven = key !== undefined || keyFile !== undefined;
  const isCallerGiven = (user ?? url) !== undefined || isKeyGiven;
  if (operator && (isCallerGiven || insecure))
    throw new StartError('Say --operator, or which user acts and how: not both.');
  if (isCallerGiven && company !== undefined)
    throw new StartError('A user has one company alone: leave --company out.');
  if (user !== undefined && url !== undefined)
    throw new StartError(
      'Say --user, for the server on this machine, or --url, for one elsewhere: not both.',
    );
  if (user !== undefined && isKeyGiven)
    throw new StartError('Say --user, who needs no key on this machine, or give a key: not both.');
  if (user !== undefined) return new Api(await socketDoor(user));
  const address = url ?? setting('CARILLON_URL');
  if (isKeyGiven && address === undefined) throw new StartError('Say by --url which server the key is for.');
  const isOperator = operator || company !== undefined || !areCredentialsSet();
  if (address === undefined || (isOperator && !isCallerGiven)) return undefined;
  return new Api(doorAt(address, options));
}

/** Gives a command its action, and the options of one that acts as either and has --json. */
export function actsAsEither<Given extends readonly [...(string | undefined)[], CallerOptions & JsonOption]>(
  command: Command,
  asUser: (api: Api, ...given: Given) => Promise<void>,
  asOperator: (...given: Given) => Promise<void>,
  caller: Pick<CallerOptions, 'needsPassword'> = {},
): Command {
  return withEither(command)
    .option(...jsonOption)
    .action(eitherWay(asUser, asOperator, caller));
}

/** Does it as the user who was said to act, else as the operator. */
export function eitherWay<Given extends readonly [...(string | undefined)[], CallerOptions]>(
  asUser: (api: Api, ...given: Given) => Promise<void>,
  asOperator: (...given: Given) => Promise<void>,
  { needsPassword = false }: Pick<CallerOptions, 'needsPassword'> = {},
): (...given: Given) => Promise<void> {
  return async (...given) => {
    // Commander adds the command itself.
    const own = given.slice(0, -1) as unknown as Given;
    const api = await callerApi({ ...(own.at(-1) as CallerOptions), needsPassword });
    return api === undefined ? asOperator(...own) : asUser(api, ...own);
  };
}

/** For what only users do. */
export async function requireCallerApi(options: CallerOptions): Promise<Api> {
  const api = await callerApi(options);
  if (api !== undefined) return api;
  const address = setting('CARILLON_URL');
  if (address !== undefined) return new Api(doorAt(address, options));
  throw new StartError(
    'Say who acts: --user NAME at the server on this machine, or --url with a key (CARILLON_KEY) at one elsewhere.',
  );
}

async function socketDoor(user: string): Promise<Door> {
  const [{ readConfig }, { socketFault, socketPath }] = await Promise.all([
    import('../config/config.ts'),
    import('../app/control.ts'),
  ]);
  const socket = socketPath(readConfig(process.env).dataFolder);
  return {
    url: new URL('http://localhost'),
    socket,
    username: user,
    // Whoever may open the socket needs no password, and Basic authentication is not whole without one.
    headers: { ...basic(user, '-'), 'user-agent': `carillon, by ${inHeader(machineAccount())}` },
    fault: (error) => socketFault(socket, error),
  };
}

/** Which holds no other characters. */
function inHeader(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}

function doorAt(address: string, options: CallerOptions): Door {
  const url = webUrl.parse(address);
  if (url === undefined) throw new StartError(`--url must be ${webUrl.expects}.`);
  if (url.protocol === 'http:' && !isOfThisMachine(url) && options.insecure !== true)
    throw new StartError(
      `The key would go to ${url.host} so that others can read it: give an https:// address, or --insecure.`,
    );
  return {
    url,
    socket: undefined,
    ...credentialsOf(options),
    fault: (error) =>
      new StartError(
        `${url.origin} cannot be reached: ${error.message || (error.code ?? 'no reason is known')}.`,
      ),
  };
}

function isOfThisMachine({ hostname }: URL): boolean {
  return hostname === 'localhost' || isLoopback(hostname.replace(/^\[|\]$/g, ''));
}

type Credentials = Pick<Door, 'headers' | 'username'>;

function credentialsOf({ key, keyFile, needsPassword = false }: CallerOptions): Credentials {
  if (key !== undefined && keyFile !== undefined) throw new StartError('Give --key or --key-file: not both.');
  const password = passwordSet();
  const keySet = needsPassword && password !== undefined ? undefined : setting('CARILLON_KEY');
  const given = key ?? (keyFile === undefined ? keySet : keyIn(keyFile));
  if (given !== undefined) {
    if (/^[\x21-\x7e]+$/.test(given)) return { headers: { 'x-api-key': given }, username: undefined };
    throw new StartError('The key has characters that no key has.');
  }
  if (password !== undefined) return { headers: basic(...password), username: password[0] };
  if (needsPassword) throw new StartError('A password is missing: set CARILLON_USER and CARILLON_PASSWORD.');
  throw new StartError(
    'A key is missing: set CARILLON_KEY, or give --key-file, or set CARILLON_USER and CARILLON_PASSWORD.',
  );
}

function areCredentialsSet(): boolean {
  return setting('CARILLON_KEY') !== undefined || passwordSet() !== undefined;
}

/** With the name of its user before it. */
function passwordSet(): readonly [string, string] | undefined {
  const [user, password] = [setting('CARILLON_USER'), setting('CARILLON_PASSWORD')];
  return user === undefined || password === undefined ? undefined : [user, password];
}

function keyIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new StartError(`The file ${file} cannot be read: ${(error as Error).message}.`);
  }
}

function basic(username: string, password: string): Door['headers'] {
  if (username.includes(':')) throw new StartError('A user name with a colon cannot be used here.');
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

/** A variable that is set to nothing counts as not set. */
function setting(name: string): string | undefined {
  return process.env[name]?.trim() || undefined;
}
