/**
 * Turns the environment into one validated, frozen Config. An invalid value stops the start with a sentence that names it.
 */
import type { BlockList } from 'node:net';
import { resolve } from 'node:path';
import { parseRelayAddress, type RelayAddress, relayAddressForm } from '../email/outgoing/relay-address.ts';
import { StartError } from '../foundation/errors.ts';
import { nearestName } from '../foundation/nearest-name.ts';
import {
  type Address,
  address,
  addressOrOff,
  domains,
  filePath,
  type Grammar,
  key,
  networks,
  size,
  url,
  webUrl,
  wholeNumber,
  word,
} from './environment.ts';

/** The roles that a process may take on. */
export const nodeRoles = ['http', 'dispatch', 'mail', 'jobs'] as const;
export type NodeRole = (typeof nodeRoles)[number];

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface Config {
  readonly roles: ReadonlySet<NodeRole>;
  readonly http: Address;
  readonly tls: { readonly certificateFile: string; readonly keyFile: string } | undefined;
  readonly trustedProxies: BlockList;
  /** The networks that may read `/metrics`. */
  readonly metricsReaders: BlockList;
  /** As configured; `publicUrl()` gives the address in use. Its path has no trailing slash. */
  readonly publicUrl: URL | undefined;
  /** The path before every path of the service: empty, or with a leading slash and no trailing one. */
  readonly pathPrefix: string;
  readonly maxBodyBytes: number;
  readonly dataFolder: string;
  /** If set, the store is PostgreSQL instead of the embedded one. */
  readonly databaseUrl: string | undefined;
  /** As configured; `serverSecret()` gives the one in use. */
  readonly secret: string | undefined;
  readonly provisioningFile: string | undefined;
  readonly retentionDays: number;
  /** How long a carrier must be down before the messages that wait for it go to other carriers. */
  readonly failoverSeconds: number;
  /** How long a stopping server goes on listening while clients connect. */
  readonly stopGraceSeconds: number;
  readonly logLevel: LogLevel;
  /** Undefined when mail is off. */
  readonly smtp: Address | undefined;
  /** True when this address is only the default; if it is already taken, the server runs without mail. */
  readonly smtpIsDefault: boolean;
  /** Where customers' programs bind by SMPP, without TLS and with it; undefined for nowhere. */
  readonly smppServer: Address | undefined;
  readonly smppServerTls: Address | undefined;
  /** For outgoing mail. */
  readonly smtpRelay: RelayAddress | undefined;
  readonly mailDomains: readonly string[];
  /** Larger e-mails are refused. */
  readonly maxMailBytes: number;
  readonly trustedMailRelays: BlockList;
  readonly callbackNetworks: BlockList;
  /** Whether operators may read texts of messages in the portal. */
  readonly operatorsRead: boolean;
  /** Whether operators must sign in to the portal with a second factor. */
  readonly operatorsNeedFactor: boolean;
  /** Whether an empty store gets a demo company. */
  readonly demo: boolean;
  readonly unknownSettings: readonly UnknownSetting[];
}

export interface UnknownSetting {
  readonly variable: string;
  /** The setting that was probably meant. */
  readonly meant: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface ServeOptions {
  readonly roles?: string | undefined;
  readonly demo?: boolean | undefined;
}

export function readConfig(environment: Environment, options: ServeOptions = {}): Config {
  const value = <Result>(name: string, grammar: Grammar<Result>, standard: string): Result =>
    parsed(name, grammar, given(environment, name) ?? standard);
  const optional = <Result>(name: string, grammar: Grammar<Result>): Result | undefined => {
    const text = given(environment, name);
    return text === undefined ? undefined : parsed(name, grammar, text);
  };
  const pathOf = (name: string): string | undefined => {
    const path = optional(name, filePath);
    return path === undefined ? undefined : resolve(path);
  };

  const smtp = value('CARILLON_SMTP', addressOrOff, '127.0.0.1:2525');
  const publicUrl = withoutLastSlash(optional('CARILLON_PUBLIC_URL', webUrl));
  return Object.freeze({
    roles: parseRoles(options.roles),
    http: value('CARILLON_HTTP', address, '127.0.0.1:8080'),
    tls: tlsFiles(pathOf('CARILLON_TLS_CERT'), pathOf('CARILLON_TLS_KEY')),
    trustedProxies: value('CARILLON_TRUSTED_PROXIES', networks, ''),
    metricsReaders: value('CARILLON_METRICS_ALLOW', networks, '127.0.0.0/8,::1'),
    publicUrl,
    pathPrefix: publicUrl === undefined || publicUrl.pathname === '/' ? '' : publicUrl.pathname,
    maxBodyBytes: value('CARILLON_MAX_BODY', size('1KiB', '4GiB'), '256MiB'),
    dataFolder: resolve(value('CARILLON_DATA', filePath, './data')),
    databaseUrl: optional('DATABASE_URL', postgresUrl),
    secret: optional('CARILLON_SECRET', key),
    provisioningFile: pathOf('CARILLON_PROVISION'),
    retentionDays: value('CARILLON_RETENTION_DAYS', wholeNumber(1, 36_500), '365'),
    failoverSeconds: value('CARILLON_FAILOVER_SECONDS', wholeNumber(0, 86_400), '10'),
    stopGraceSeconds: value('CARILLON_STOP_GRACE_SECONDS', wholeNumber(0, 8), '2'),
    logLevel: value('CARILLON_LOG', word(logLevels), 'info'),
    smtp: smtp === 'off' ? undefined : smtp,
    smtpIsDefault: given(environment, 'CARILLON_SMTP') === undefined,
    smppServer: optional('CARILLON_SMPP_SERVER', address),
    smppServerTls: optional('CARILLON_SMPP_SERVER_TLS', address),
    smtpRelay: optional('CARILLON_SMTP_RELAY', relayUrl),
    mailDomains: value('CARILLON_MAIL_DOMAIN', domains, 'sms.localhost'),
    maxMailBytes: value('CARILLON_MAIL_MAX_SIZE', size('64KiB', '25MiB'), '10MiB'),
    trustedMailRelays: value('CARILLON_MAIL_TRUSTED', networks, ''),
    callbackNetworks: value('CARILLON_CALLBACK_ALLOW', networks, ''),
    operatorsRead: value('CARILLON_OPERATORS_READ', word(['on', 'off']), 'off') === 'on',
    operatorsNeedFactor:
      value('CARILLON_OPERATORS_SECOND_FACTOR', word(['optional', 'required']), 'optional') === 'required',
    demo: options.demo ?? true,
    unknownSettings: unknownSettings(environment),
  });
}

/** Variables for the commands, for the choice of Node, and for the tests. */
const otherNames = ['URL', 'KEY', 'USER', 'PASSWORD', 'NODE', 'REPLAY', 'RUNS', 'SEED', 'SLOWEST', 'THREADS'];
const ownNames = [
  ...['HTTP', 'TLS_CERT', 'TLS_KEY', 'TRUSTED_PROXIES', 'METRICS_ALLOW', 'PUBLIC_URL', 'MAX_BODY', 'DATA'],
  ...[
    'SECRET',
    'PROVISION',
    'RETENTION_DAYS',
    'FAILOVER_SECONDS',
    'STOP_GRACE_SECONDS',
    'LOG',
    'SMTP',
    'SMTP_RELAY',
    'MAIL_DOMAIN',
  ],
  ...[
    'MAIL_MAX_SIZE',
    'MAIL_TRUSTED',
    'CALLBACK_ALLOW',
    'OPERATORS_READ',
    'OPERATORS_SECOND_FACTOR',
    'SMPP_SERVER',
    'SMPP_SERVER_TLS',
    'TEST_ENGINE',
  ],
];
export const settingNames = [...ownNames, ...otherNames].map((name) => `CARILLON_${name}`);

/** A misspelt name would be ignored and the default used instead. */
export function unknownSettings(environment: Environment): readonly UnknownSetting[] {
  return Object.keys(environment)
    .filter((name) => /^carillon_/i.test(name) && !settingNames.includes(name))
    .sort()
    .map((variable) => ({ variable, meant: nearestName(variable, settingNames) }));
}

/** The public address of the server, without a trailing slash, once the port is known. */
export function publicUrl(config: Config, port: number): string {
  if (config.publicUrl !== undefined) return config.publicUrl.href.replace(/\/$/, '');
  const everywhere = config.http.host === '0.0.0.0' || config.http.host === '::';
  const host = everywhere ? 'localhost' : config.http.host;
  const protocol = config.tls === undefined ? 'http' : 'https';
  return `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The domain of outgoing mail; undefined without a relay, since no mail is sent then. */
export function outgoingDomain({
  smtpRelay,
  mailDomains,
}: Pick<Config, 'smtpRelay' | 'mailDomains'>): string | undefined {
  return smtpRelay && (mailDomains[0] ?? 'localhost');
}

const databaseLocation = url({
  protocols: ['postgres', 'postgresql'],
  example: 'postgres://user:password@localhost:5432/carillon',
  credentials: true,
  query: true,
});
/** The URL as written, because the driver parses it in its own way. */
const postgresUrl: Grammar<string> = {
  ...databaseLocation,
  parse: (text) => (databaseLocation.parse(text) === undefined ? undefined : text),
};
const relayUrl: Grammar<RelayAddress> = { expects: relayAddressForm, parse: parseRelayAddress, secret: true };

/** A variable with an empty value counts as not set, because compose files and unit files often contain such variables. */
function given(environment: Environment, name: string): string | undefined {
  const text = environment[name]?.trim();
  return text === '' ? undefined : text;
}

function parsed<Result>(name: string, grammar: Grammar<Result>, text: string): Result {
  const result = grammar.parse(text);
  if (result !== undefined) return result;
  const shown = grammar.secret ? '' : `, not ${JSON.stringify(text)}`;
  throw new StartError(`${name} must be ${grammar.expects}${shown}.`);
}

function tlsFiles(certificateFile: string | undefined, keyFile: string | undefined): Config['tls'] {
  if (certificateFile === undefined && keyFile === undefined) return undefined;
  if (certificateFile === undefined)
    throw new StartError('CARILLON_TLS_KEY is set, but CARILLON_TLS_CERT is not: HTTPS needs both files.');
  if (keyFile === undefined)
    throw new StartError('CARILLON_TLS_CERT is set, but CARILLON_TLS_KEY is not: HTTPS needs both files.');
  return { certificateFile, keyFile };
}

function withoutLastSlash(location: URL | undefined): URL | undefined {
  if (location !== undefined) location.pathname = location.pathname.replace(/(?<!\/)\/+$/, '');
  return location;
}

function parseRoles(text: string | undefined): ReadonlySet<NodeRole> {
  if (text === undefined) return new Set(nodeRoles);
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !nodeRoles.some((role) => role === name));
  if (unknown === undefined) return new Set(nodeRoles.filter((role) => names.includes(role)));
  throw new StartError(
    `--roles must be a comma-separated list of ${nodeRoles.join(', ')}; there is no role ${JSON.stringify(unknown)}.`,
  );
}
