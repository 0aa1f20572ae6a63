/** What an administrator may give to others: nothing that reaches further than what it has itself. */
import { standardMaxRecipients } from '../../batches/batch.ts';
import type { FieldError } from '../../foundation/errors.ts';
import type { Role } from '../role.ts';
import type { UserRecord } from '../user-records.ts';

/** All that a new user has unless it is told otherwise: as much as whoever makes it. */
export function rightsLike(
  own: UserRecord,
): Pick<UserRecord, 'quotaParts' | 'limits' | 'senders' | 'maxBatch'> {
  const { quotaParts, limits, senders, maxBatch } = own;
  return { quotaParts, limits, senders, maxBatch };
}

/** The first right that grew beyond the own ones; what the user had before it may keep. */
export function faultOfRights(
  own: UserRecord,
  before: UserRecord | undefined,
  after: UserRecord,
): FieldError | undefined {
  const holders = before === undefined ? [own] : [own, before];
  const wide = rights.find(({ reaches }) => !reaches(holders, after));
  if (wide === undefined) return undefined;
  const { field, what } = wide;
  const error = `You can give nobody more than you have yourself: ${what(own)}. Nothing was changed.`;
  return { field, code: 'beyond_own_rights', error };
}

interface Right {
  /** As calls name it. */
  readonly field: string;
  /** Whether one or another of the holders has each of what is wanted. */
  readonly reaches: (holders: readonly UserRecord[], wanted: UserRecord) => boolean;
  readonly what: (own: UserRecord) => string;
}

const rights: readonly Right[] = [
  {
    field: 'roles',
    reaches: (holders, wanted) =>
      wanted.roles.every((role) => holders.some((holder) => rolesOf(holder).has(role))),
    what: (own) => `your roles are ${[...rolesOf(own)].join(', ')}`,
  },
  bounded('quotaparts', 'SMS parts in all', ({ quotaParts }) => quotaParts),
  bounded('partsperminute', 'SMS parts in a minute', ({ limits }) => limits?.partsPerMinute),
  bounded('partsperday', 'SMS parts in a day', ({ limits }) => limits?.partsPerDay),
  bounded('maxbatch', 'recipients of a batch', ({ maxBatch = standardMaxRecipients }) => maxBatch),
  within('countries', 'countries', ({ limits }) => limits?.countries),
  within('senders', 'senders', ({ senders }) => senders),
  {
    field: 'smtpsplit',
    reaches: (holders, wanted) => !wanted.smtpSplit || holders.some(({ smtpSplit }) => smtpSplit),
    what: () => 'nothing goes back to you by mail',
  },
];

/** The administrator of a company may do all that the one of its e-mail senders may. */
function rolesOf({ roles }: UserRecord): ReadonlySet<Role> {
  return new Set(roles.includes('companyAdmin') ? [...roles, 'emailAdmin' as const] : roles);
}

function bounded(field: string, noun: string, of: (user: UserRecord) => number | undefined): Right {
  const most = (user: UserRecord) => of(user) ?? Number.POSITIVE_INFINITY;
  return {
    field,
    reaches: (holders, wanted) => holders.some((holder) => most(wanted) <= most(holder)),
    what: (own) => `your limit is ${of(own)} ${noun}`,
  };
}

function within(field: string, noun: string, of: (user: UserRecord) => readonly string[] | undefined): Right {
  return {
    field,
    reaches(holders, wanted) {
      const held = holders.map(of);
      const asked = of(wanted);
      if (asked === undefined) return held.includes(undefined);
      return asked.every((one) => held.some((some) => some === undefined || some.includes(one)));
    },
    what: (own) => `your ${noun} are ${of(own)?.join(', ')}`,
  };
}
