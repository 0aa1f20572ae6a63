/** How entries of senders, and the defaults of companies, stand in their tables. */
import { bigint, flag, optional, StoredRecord, smallint, text } from '../../storage/stored-record.ts';

/** Null is none. */
const settings = {
  sender: optional(text),
  costCenter: optional(text),
  defaultCountryCode: optional(text),
  maxSms: optional(smallint),
  checkMobile: optional(flag),
  includeSubject: optional(flag),
  onlyNonDelivery: optional(flag),
  origMsg: optional(flag),
  splitCallback: optional(flag),
  senderLogic: optional(flag),
} as const;

export const storedDefaults = new StoredRecord({
  companyId: bigint,
  payingUserId: optional(bigint),
  ...settings,
});

export const storedEntry = new StoredRecord({
  email: text,
  companyId: bigint,
  payingUserId: bigint,
  blocked: flag,
  ...settings,
});
