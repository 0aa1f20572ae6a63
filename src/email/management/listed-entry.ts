/** Entries and defaults of e-mail senders as the management API shows them: with what a provisioning file manages of them. */
import { createHash } from 'node:crypto';
import type { EmailDefaults, SenderEntry, SettingsChange } from '../senders/sender-entry.ts';

export interface Managed {
  /** What provisioning files have set; empty where none names it. */
  readonly managedKeys: readonly string[];
}

export interface ListedEntry extends Managed {
  readonly entry: SenderEntry;
}

export interface ListedDefaults extends Managed {
  readonly defaults: EmailDefaults;
}

/** Another one when anything of it is another. */
export function versionOf(shown: SenderEntry | EmailDefaults): string {
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 16);
}

/** By the words of a provisioning file. Undefined stays, null clears. */
export interface EntryChange extends SettingsChange {
  readonly payinguser: string | null | undefined;
  readonly blocked?: boolean | undefined;
}

export function managedAmong({ managedKeys }: Managed, change: EntryChange): string | undefined {
  const given = Object.entries(change).flatMap(([key, value]) => (value === undefined ? [] : key));
  return given.find((key) => managedKeys.includes(key));
}
