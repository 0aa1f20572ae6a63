/**
 * The identity that a command uses. A command that acts as a user calls the API: of a server at an address, with a key or a
 * password, or of the server on this machine over the operator's socket, which asks for neither. A command that acts as the
 * operator, who sees all companies, uses the store directly.
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
  /** Set for commands that can act as a user or as the operator. */
  readonly operator?: boolean | undefined;
  /** The calls accept no key, so a password in the environment takes precedence over a key there. */
  readonly needsPassword?: boolean;
  /** Only operators name a company, so if one is named, the environment names no user to act as. */
  readonly company?: string | undefined;
}

export function withCaller(command: Command): Command {
  return command
    .option('--user <username>', 'act as this user, on the server that uses CARILLON_DATA')
    .option('--url <url>', 'act as the user of a key, on the server at this address (CARILLON_URL)')
    .option('--key-file <file>', 'file with the key, instead of CARILLON_KEY')
    .option('--key <key>', 'the key itself: other users of this machine can see a command’s arguments')
    .option(...insecureOption);
}

export const insecureOption = ['--insecure', 'send the key over HTTP, where others can read it'] as const;
export const operatorOption = [
  '--operator',
  'act as the operator, in the store on this machine, whatever the environment says',
] as const;

/** Adds the options of a command that can act as a user or as the operator. */
export function withEither(command: Command): Command {
  return withCaller(command).option(...operatorOption);
}

/** A command with subcommands has the same options as they do; the subcommands' options must follow their names. */
export function refuseOptionsBefore(command: Command): Command {
  return command.hook('preSubcommand', (above, below) => {
    const given = above.options.find(
      (option) => above.getOptionValueSource(option.attributeName()) === 'cli',
    );
    if (given !== undefined) throw new StartError(`Give ${given.long} after ${below.name()}.`);
  });
}

/** Undefined when the operator acts. CARILLON_URL alone makes no caller, because it names no user. */
export async function callerApi(options: CallerOptions): Promise<Api | undefined> {
  const { user, url, key, keyFile, insecure = false, operator = false, company } = options;
  const isKeyGiven = key !== undefined || keyFile !== undefined;
  const isCallerGiven = (user ?? url) !== undefined || isKeyGiven;
  if (operator && (isCallerGiven || insecure))
    throw new StartError('Give --operator or the user to act as, not both.');
  if (isCallerGiven && company !== undefined)
    throw new StartError('A user belongs to one company only. Leave --company out.');
  if (user !== undefined && url !== undefined)
    throw new StartError(
      'Give --user for the server on this machine, or --url for a server elsewhere, not both.',
    );
  if (user !== undefined && isKeyGiven)
    throw new StartError('Give --user, which needs no key on this machine, or a key, not both.');
  if (user !== undefined) return new Api(await socketDoor(user));
  const address = url ?? setting('CARILLON_URL');
  if (isKeyGiven && address === undefined)
    throw new StartError('Give the server that the key is for: --url URL.');
  const isOperator = operator || company !== undefined || !areCredentialsSet();
  if (address === undefined || (isOperator && !isCallerGiven)) return undefined;
  return new Api(doorAt(address, options));
}

/** Gives a command its action, the options to act as a user or as the operator, and --json. */
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

/** Runs as the named user, or otherwise as the operator. */
export function eitherWay<Given extends readonly [...(string | undefined)[], CallerOptions]>(
  asUser: (api: Api, ...given: Given) => Promise<void>,
  asOperator: (...given: Given) => Promise<void>,
  { needsPassword = false }: Pick<CallerOptions, 'needsPassword'> = {},
): (...given: Given) => Promise<void> {
  return async (...given) => {
    // Commander passes the command itself as the last argument.
    const own = given.slice(0, -1) as unknown as Given;
    const api = await callerApi({ ...(own.at(-1) as CallerOptions), needsPassword });
    return api === undefined ? asOperator(...own) : asUser(api, ...own);
  };
}

/** For commands that only users can run. */
export async function requireCallerApi(options: CallerOptions): Promise<Api> {
  const api = await callerApi(options);
  if (api !== undefined) return api;
  const address = setting('CARILLON_URL');
  if (address !== undefined) return new Api(doorAt(address, options));
  throw new StartError(
    'This command acts as a user. Give --user NAME for the server on this machine, or --url with a key (CARILLON_KEY) for a server elsewhere.',
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
    // A client that can open the socket needs no password, but Basic authentication is incomplete without one.
    headers: { ...basic(user, '-'), 'user-agent': `carillon, by ${inHeader(machineAccount())}` },
    fault: (error) => socketFault(socket, error),
  };
}

/** A header can hold only these characters. */
function inHeader(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}

function doorAt(address: string, options: CallerOptions): Door {
  const url = webUrl.parse(address);
  if (url === undefined) throw new StartError(`--url must be ${webUrl.expects}.`);
  if (url.protocol === 'http:' && !isOfThisMachine(url) && options.insecure !== true)
    throw new StartError(
      `The key would be sent to ${url.host} unencrypted, and others could read it. Give an https:// address, or --insecure.`,
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
  if (key !== undefined && keyFile !== undefined) throw new StartError('Give --key or --key-file, not both.');
  const password = passwordSet();
  const keySet = needsPassword && password !== undefined ? undefined : setting('CARILLON_KEY');
  const given = key ?? (keyFile === undefined ? keySet : keyIn(keyFile));
  if (given !== undefined) {
    if (/^[\x21-\x7e]+$/.test(given)) return { headers: { 'x-api-key': given }, username: undefined };
    throw new StartError('The key has characters that an API key cannot have.');
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

/** The password from the environment, preceded by the name of its user. */
function passwordSet(): readonly [string, string] | undefined {
  const [user, password] = [setting('CARILLON_USER'), setting('CARILLON_PASSWORD')];
  return user === undefined || password === undefined ? undefined : [user, password];
}

function keyIn(file: string): string {
  return bytesOf(file).toString('utf8').trim();
}

/** The content of a file that is named to a command. */
export function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new StartError(`The file ${file} cannot be read: ${(error as Error).message}.`);
  }
}

function basic(username: string, password: string): Door['headers'] {
  if (username.includes(':')) throw new StartError('A user name with a colon cannot be used here.');
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

/** A variable with an empty value counts as not set. */
function setting(name: string): string | undefined {
  return process.env[name]?.trim() || undefined;
}
