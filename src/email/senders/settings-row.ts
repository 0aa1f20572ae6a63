/** How sending settings stand in a row, be it of an entry or of the defaults of a company, where null is none. */
import type { Value } from '../../storage/storable.ts';
import type { SomeSettings } from './sender-entry.ts';

export const settingsColumns = {
  sender: 'text',
  cost_center: 'text',
  default_country_code: 'text',
  max_sms: 'smallint',
  check_mobile: 'smallint',
  include_subject: 'smallint',
  only_non_delivery: 'smallint',
  orig_msg: 'smallint',
  split_callback: 'smallint',
  sender_logic: 'smallint',
} as const;

/** For a list of columns in a statement. */
export const settingsColumnNames = Object.keys(settingsColumns).join(', ');

export type SettingsRow = {
  readonly [Column in keyof typeof settingsColumns]:
    | ((typeof settingsColumns)[Column] extends 'text' ? string : number)
    | null;
};

export function toSettings(row: SettingsRow): SomeSettings {
  return {
    sender: row.sender ?? undefined,
    costCenter: row.cost_center ?? undefined,
    defaultCountryCode: row.default_country_code ?? undefined,
    maxSms: row.max_sms ?? undefined,
    checkMobile: toFlag(row.check_mobile),
    includeSubject: toFlag(row.include_subject),
    onlyNonDelivery: toFlag(row.only_non_delivery),
    origMsg: toFlag(row.orig_msg),
    splitCallback: toFlag(row.split_callback),
    senderLogic: toFlag(row.sender_logic),
  };
}

/** In the order of the columns. */
export function fromSettings(settings: SomeSettings): readonly Value[] {
  return [
    settings.sender ?? null,
    settings.costCenter ?? null,
    settings.defaultCountryCode ?? null,
    settings.maxSms ?? null,
    fromFlag(settings.checkMobile),
    fromFlag(settings.includeSubject),
    fromFlag(settings.onlyNonDelivery),
    fromFlag(settings.origMsg),
    fromFlag(settings.splitCallback),
    fromFlag(settings.senderLogic),
  ];
}

function toFlag(value: number | null): boolean | undefined {
  return value === null ? undefined : value === 1;
}

function fromFlag(flag: boolean | undefined): number | null {
  return flag === undefined ? null : Number(flag);
}
