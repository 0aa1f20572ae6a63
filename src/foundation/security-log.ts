/**
 * Reports security events to the operator: a log line each, and a count. However many there are, the lines stay few: each
 * minute a limited number of different lines of each kind, with the others as counts at the end of the minute. They never
 * contain passwords, keys or texts.
 */

import { RepeatedLines } from './log.ts';
import { printable } from './terminal.ts';

/** The events and how serious each is. */
const levels = {
  /** A login attempt was rejected. */
  login_failed: 'warn',
  /** An account or a network has used up its attempts. */
  login_locked: 'warn',
  /** A password was not checked because of such a lock. */
  login_refused: 'warn',
  /** An authenticated caller may not do this (403). */
  access_denied: 'warn',
  /** A call at the address of a carrier did not prove that it comes from the carrier; it changed nothing. */
  carrier_call_forged: 'warn',
  /** A sender exceeded its rate for a minute or a day, as a stolen key would. */
  rate_exceeded: 'warn',
  /** An operator has set another password for a user or an operator, or somebody has changed their own. */
  password_set: 'info',
  /** A link that signs a user in was created. */
  link_made: 'info',
  /** A company administrator created, changed or removed users of the company. */
  user_made: 'info',
  user_changed: 'info',
  user_removed: 'info',
  /** A user has added or removed a second factor, or somebody has removed all of a user. */
  factor_added: 'info',
  factor_removed: 'info',
  key_issued: 'info',
  key_revoked: 'info',
  key_enabled: 'info',
  key_expiry_set: 'info',
  /** What an API key may do, or from which networks, has changed. */
  key_limits_set: 'info',
  email_entry_set: 'info',
  email_entry_removed: 'info',
  email_defaults_set: 'info',
  /** An operator command has changed something, or may have. */
  operator_command: 'info',
} as const;

export type SecurityEventName = keyof typeof levels;

/**
 * If several values would fit a field, it holds the one that belongs to the acting user. Of what strangers send, an
 * event contains only addresses and paths.
 */
export interface SecurityEvent {
  readonly event: SecurityEventName;
  /** Only set for existing users: what a stranger enters as a user name may be a password in the wrong field. */
  readonly username?: string | undefined;
  /** The name of an operator, who is no user; only set for existing ones. */
  readonly operator?: string | undefined;
  readonly companyId?: number | undefined;
  readonly address?: string | undefined;
  /** The login method. */
  readonly method?: 'password' | 'key' | 'factor' | 'provider' | undefined;
  readonly channel?: 'http' | 'smtp' | 'smpp' | 'command' | undefined;
  /** The path of the endpoint, not the URL as received. */
  readonly path?: string | undefined;
  /** The name of what was changed or used up: a key, an entry, a command, a network. */
  readonly object?: string | undefined;
  /** One of our own words, not the client's. */
  readonly reason?: string | undefined;
}

export interface SecurityEvents {
  record(event: SecurityEvent): void;
}

interface Lines {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

const maxTextLength = 200;

export class SecurityLog implements SecurityEvents {
  readonly #log: Lines;
  readonly #counted: (event: SecurityEventName) => void;
  readonly #repeated = new RepeatedLines<SecurityEventName>((event, fields) =>
    this.#write(event, { event, ...fields }),
  );

  constructor(log: Lines, counted: (event: SecurityEventName) => void = () => undefined) {
    this.#log = log;
    this.#counted = counted;
  }

  record(event: SecurityEvent): void {
    const name = event.event;
    this.#counted(name);
    const fields = readable(event);
    if (this.#repeated.isNew(name, fields, name)) this.#write(name, fields);
  }

  /** Logs what was only counted so far. */
  flush(): void {
    this.#repeated.flush();
  }

  #write(name: SecurityEventName, fields: object): void {
    this.#log[levels[name]](fields, 'security event');
  }
}

function readable(event: SecurityEvent): object {
  const fields = Object.entries(event).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    fields.map(([name, value]) => [name, typeof value === 'string' ? plainText(value) : value]),
  );
}

function plainText(text: string): string {
  return printable(text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text);
}
