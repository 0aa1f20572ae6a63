/** What the store holds of the objects that a provisioning file can name, in the words of the file. */
import type { Role } from '../accounts/role.ts';
import type { SendingLimits } from '../accounts/sending-limits.ts';
import type { SendHours } from '../batches/hours/send-hours.ts';
import type { SendingSettings, SomeSettings } from '../email/senders/sender-entry.ts';
import type { Route } from '../routing/route.ts';

export interface CompanyState {
  /** Undefined: still to be drawn. */
  readonly id: number | undefined;
  readonly name: string;
  readonly active: boolean;
  readonly quotaParts: number | undefined;
  readonly limits: SendingLimits | undefined;
  readonly defaultSender: string | undefined;
  readonly sendHours: SendHours | undefined;
  readonly allowedDomainEndings: readonly string[];
}

export interface UserState {
  /** Undefined: still to be drawn. */
  readonly id: number | undefined;
  readonly username: string;
  /** The company's name. */
  readonly company: string;
  readonly passwordHash: string | undefined;
  readonly roles: readonly Role[];
  readonly active: boolean;
  readonly quotaParts: number | undefined;
  readonly limits: SendingLimits | undefined;
  readonly defaultSender: string | undefined;
  readonly senders: readonly string[] | undefined;
  readonly replaceCharacters: boolean;
  readonly maxBatch: number | undefined;
  readonly smtpSplit: boolean;
  /** Names, sorted. */
  readonly addressBooks: readonly string[];
  readonly defaultAddressBook: string | undefined;
}

export interface AddressBookState {
  /** Undefined: still to be drawn. */
  readonly id: number | undefined;
  readonly name: string;
  /** The company's name. */
  readonly company: string;
  /** In string notation, by name. */
  readonly savedTagFilters: Readonly<Record<string, string>>;
  /** Members by the group's name, as in a plan. */
  readonly groups: Readonly<Record<string, readonly string[]>>;
}

export interface TemplateState {
  /** The company's name. */
  readonly company: string;
  readonly id: number;
  readonly name: string;
  readonly text: string;
}

export interface EmailDefaultsState extends SomeSettings {
  /** The company's name. */
  readonly company: string;
  /** Its username. */
  readonly payinguser: string | undefined;
}

export interface EmailSenderState extends SendingSettings {
  readonly email: string;
  /** The company's name. */
  readonly company: string;
  readonly blocked: boolean;
  /** Its username. */
  readonly payinguser: string;
}

export interface SenderRuleState {
  /** The company's name. */
  readonly company: string;
  readonly domain: string;
  readonly sender: string;
}

export interface CarrierState {
  readonly name: string;
  readonly type: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface NumberState {
  readonly number: string;
  /** The renter's username. */
  readonly rentedBy: string | undefined;
  readonly pool: boolean;
  /** The name of the only company whose pool it is in. */
  readonly company: string | undefined;
}

export interface OperatorState {
  readonly username: string;
  readonly passwordHash: string;
}

export type RetiredKind = 'company' | 'user';

export interface State {
  readonly companies: readonly CompanyState[];
  /** Those in scope only, as are the numbers. */
  readonly users: readonly UserState[];
  /** Of the companies in scope, as the templates and the defaults of e-mail. */
  readonly addressBooks: readonly AddressBookState[];
  readonly templates: readonly TemplateState[];
  readonly emailDefaults: readonly EmailDefaultsState[];
  /** Those in scope only. */
  readonly emailSenders: readonly EmailSenderState[];
  /** Of the companies in scope. */
  readonly senderRules: readonly SenderRuleState[];
  readonly carriers: readonly CarrierState[];
  readonly routes: readonly Route[];
  readonly numbers: readonly NumberState[];
  readonly operators: readonly OperatorState[];
  /** Those that the plan asks for, and that belonged to somebody who was removed. */
  readonly retiredIds: Readonly<Record<RetiredKind, ReadonlySet<number>>>;
}

/** An object before and after: created when there is nothing before, removed when there is nothing after. */
export interface Edit<Kept> {
  readonly before: Kept | undefined;
  readonly after: Kept | undefined;
}

export interface Edits {
  readonly companies: readonly Edit<CompanyState>[];
  readonly users: readonly Edit<UserState>[];
  readonly addressBooks: readonly Edit<AddressBookState>[];
  readonly templates: readonly Edit<TemplateState>[];
  readonly emailDefaults: readonly Edit<EmailDefaultsState>[];
  readonly emailSenders: readonly Edit<EmailSenderState>[];
  readonly senderRules: readonly Edit<SenderRuleState>[];
  readonly carriers: readonly Edit<CarrierState>[];
  readonly routes: readonly Edit<Route>[];
  readonly numbers: readonly Edit<NumberState>[];
  readonly operators: readonly Edit<OperatorState>[];
}
