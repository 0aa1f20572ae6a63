/** What a provisioning file asks for: every object that it names, whole, with what it leaves out filled in. */
import type { Role } from '../accounts/role.ts';
import type { SendingLimits } from '../accounts/sending-limits.ts';
import type { SendHours } from '../batches/hours/send-hours.ts';
import type { CarrierType } from '../carriers/provisioned/carrier-record.ts';
import type { ContactChange } from '../contacts/contact.ts';
import type { Place } from '../yaml/fault.ts';
import type { EmailDefaultsPlan, EmailSenderPlan, EndingPlan, SenderRulePlan } from './email-plan.ts';
import type { Planned } from './planned.ts';
import type { TemplatePlan } from './template-plan.ts';

export interface CompanyPlan extends Planned {
  readonly name: string;
  /** Undefined: as it is, or drawn for a new company. */
  readonly id: number | undefined;
  readonly active: boolean;
  readonly quotaParts: number | undefined;
  readonly limits: SendingLimits | undefined;
  readonly defaultSender: string | undefined;
  readonly sendHours: SendHours | undefined;
  readonly users: readonly UserPlan[];
  readonly addressBooks: readonly AddressBookPlan[];
  readonly templates: readonly TemplatePlan[];
  readonly allowedDomainEndings: readonly EndingPlan[];
  /** Undefined: as they are. */
  readonly emailDefaults: EmailDefaultsPlan | undefined;
  readonly emailSenders: readonly EmailSenderPlan[];
  readonly senderRules: readonly SenderRulePlan[];
}

/** A value that the file gives, or takes away. */
export interface Removable<Value> {
  /** Undefined: to be removed. */
  readonly value: Value | undefined;
  readonly place: Place;
}

/** Contacts, filters and groups that the file does not name stay as they are. */
export interface AddressBookPlan extends Planned {
  readonly name: string;
  readonly id: number | undefined;
  readonly contacts: readonly ContactPlan[];
  /** In string notation, by name. */
  readonly savedTagFilters: ReadonlyMap<string, Removable<string>>;
  /** Members by the group's name: numbers in digits, and contacts as `contact 9001`. */
  readonly groups: ReadonlyMap<string, Removable<readonly string[]>>;
}

export interface ContactPlan {
  readonly change: ContactChange;
  readonly place: Place;
}

export interface UserPlan extends Planned {
  readonly username: string;
  readonly id: number | undefined;
  /** As written; resolved into `passwordHash` before anything is compared or applied. */
  readonly password: string | undefined;
  /** Undefined: as it is. */
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
  /** Names of those of the company that the user may read. */
  readonly addressBooks: readonly string[];
  readonly defaultAddressBook: string | undefined;
}

export interface CarrierPlan extends Planned {
  readonly name: string;
  readonly type: CarrierType;
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface RoutePlan extends Planned {
  readonly name: string;
  readonly prefix: string;
  readonly carriers: readonly string[];
  readonly senders: readonly string[] | undefined;
  readonly users: readonly string[] | undefined;
  readonly priority: number;
}

export interface NumberPlan extends Planned {
  readonly number: string;
  readonly rentedBy: string | undefined;
  /** Two-way SMS may be sent from it. */
  readonly pool: boolean;
  /** Whose they are alone; undefined: those of all companies. */
  readonly company: string | undefined;
}

export interface OperatorPlan extends Planned {
  readonly username: string;
  readonly password: string | undefined;
  readonly passwordHash: string | undefined;
}

export interface Plan {
  readonly companies: readonly CompanyPlan[];
  readonly carriers: readonly CarrierPlan[];
  readonly routes: readonly RoutePlan[];
  readonly numbers: readonly NumberPlan[];
  readonly operators: readonly OperatorPlan[];
}

export const emptyPlan: Plan = { companies: [], carriers: [], routes: [], numbers: [], operators: [] };

/** Where a field of a planned object stands, or would stand. */
export function placeOf(planned: Planned, field: string): Place {
  const { place, fieldPlaces } = planned;
  return fieldPlaces[field] ?? { ...place, path: `${place.path}.${field}` };
}
