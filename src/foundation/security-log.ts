/**
 * Tells the operator what concerns security: a line of the log each, and a count. However many come, the lines are few:
 * of each kind so many different ones a minute, and the rest as counts at its end. Never with passwords, keys or texts.
 */

import { RepeatedLines } from './log.ts';
import { printable } from './terminal.ts';

/** What there is to be told, and how serious it is. */
const levels = {
  /** Somebody was not let in. */
  login_failed: 'warn',
  /** An account or a network has used up its attempts. */
  login_locked: 'warn',
  /** A password was not tried for that. */
  login_refused: 'warn',
  /** Who was let in may not do this (403). */
  access_denied: 'warn',
  /** Somebody sends more in a minute or a day than may be: a stolen key would. */
  rate_exceeded: 'warn',
  /** An operator has given a user or an operator another password. */
  password_set: 'info',
  /** A link that signs a user in. */
  link_made: 'info',
  /** Users of a company, by an administrator of it. */
  user_made: 'info',
  user_changed: 'info',
  user_removed: 'info',
  key_issued: 'info',
  key_revoked: 'info',
  key_enabled: 'info',
  key_expiry_set: 'info',
  email_entry_set: 'info',
  email_entry_removed: 'info',
  email_defaults_set: 'info',
  /** A command of the operator has changed something, or may have. */
  operator_command: 'info',
} as const;

export type SecurityEventName = keyof typeof levels;

/** Where several would do, the one who acted. Nothing that a stranger sent stands in it but addresses and paths. */
export interface SecurityEvent {
  readonly event: SecurityEventName;
  /** Only that of a user who exists: what strangers give as a user name may be a password in the wrong field. */
  readonly username?: string | undefined;
  readonly companyId?: number | undefined;
  readonly address?: string | undefined;
  /** How it was tried to get in: `password` or `key`. */
  readonly method?: 'password' | 'key' | undefined;
  readonly channel?: 'http' | 'smtp' | 'command' | undefined;
  /** The path of the endpoint, not the URL as it came. */
  readonly path?: string | undefined;
  /** What was changed or used up: the name of a key, an entry, a command, a network. */
  readonly object?: string | undefined;
  /** A word of ours. */
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

  /** Tells what was only counted so far. */
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
