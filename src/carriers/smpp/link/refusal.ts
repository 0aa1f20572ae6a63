/**
 * The reaction to an SMSC's refusal of a submission: it follows SMPP 3.4, section 5.1.3, for the command_status, unless
 * the operator's own table for this SMSC says otherwise.
 */
import { commandStatus, commandStatusName } from '../../../wire/smpp/command-status.ts';
import { type FailureStatus, refusalStatuses } from '../../carrier.ts';

export type Reaction =
  /** The SMSC is overloaded: the bind pauses for a while, and the message is tried again. */
  | { readonly kind: 'throttle' }
  /** This message is tried again after a while; others go on. */
  | { readonly kind: 'retry' }
  /** The SMSC no longer knows the bind: it is established again, and the message is tried again. */
  | { readonly kind: 'rebind' }
  | { readonly kind: 'fail' | 'passOn'; readonly status: FailureStatus };

const throttle: Reaction = { kind: 'throttle' };
/** The destination is at fault. */
const invalidDestination: Reaction = { kind: 'fail', status: refusalStatuses.INVALIDDESTINATION };
/** We, or the carrier's settings, wrote something in a form that the SMSC does not accept. */
const ourFault: Reaction = { kind: 'fail', status: refusalStatuses.ERROR };
/** The SMSC refuses the message for a reason of its own. */
const rejected: Reaction = { kind: 'fail', status: refusalStatuses.REJECTED };

const defaultReactions: ReadonlyMap<number, Reaction> = new Map<number, Reaction>([
  [commandStatus.ESME_RTHROTTLED, throttle],
  [commandStatus.ESME_RMSGQFUL, throttle],
  [commandStatus.ESME_RSYSERR, throttle],
  [commandStatus.ESME_RX_T_APPN, throttle],
  [commandStatus.ESME_RINVBNDSTS, { kind: 'rebind' }],
  [commandStatus.ESME_RINVDSTADR, invalidDestination],
  [commandStatus.ESME_RINVNUMDESTS, invalidDestination],
  [commandStatus.ESME_RINVDLNAME, invalidDestination],
  [commandStatus.ESME_RINVMSGLEN, ourFault],
  [commandStatus.ESME_RINVCMDLEN, ourFault],
  [commandStatus.ESME_RINVCMDID, ourFault],
  [commandStatus.ESME_RINVPRTFLG, ourFault],
  [commandStatus.ESME_RINVREGDLVFLG, ourFault],
  [commandStatus.ESME_RINVSERTYP, ourFault],
  [commandStatus.ESME_RINVDESTFLAG, ourFault],
  [commandStatus.ESME_RINVSUBREP, ourFault],
  [commandStatus.ESME_RINVESMCLASS, ourFault],
  [commandStatus.ESME_RINVSRCTON, ourFault],
  [commandStatus.ESME_RINVSRCNPI, ourFault],
  [commandStatus.ESME_RINVDSTTON, ourFault],
  [commandStatus.ESME_RINVDSTNPI, ourFault],
  [commandStatus.ESME_RINVSYSTYP, ourFault],
  [commandStatus.ESME_RINVREPFLAG, ourFault],
  [commandStatus.ESME_RINVNUMMSGS, ourFault],
  [commandStatus.ESME_RINVSCHED, ourFault],
  [commandStatus.ESME_RINVEXPIRY, ourFault],
  [commandStatus.ESME_RINVDFTMSGID, ourFault],
  [commandStatus.ESME_RINVOPTPARSTREAM, ourFault],
  [commandStatus.ESME_ROPTPARNOTALLWD, ourFault],
  [commandStatus.ESME_RINVPARLEN, ourFault],
  [commandStatus.ESME_RMISSINGOPTPARAM, ourFault],
  [commandStatus.ESME_RINVOPTPARAMVAL, ourFault],
  [commandStatus.ESME_RDELIVERYFAILURE, { kind: 'fail', status: refusalStatuses.UNDELIVERABLE }],
]);

/** Reactions by command_status. `table` is the setting `errors`, checked when the provisioning file was read. */
export function reactions(table: Readonly<Record<string, string>>): (status: number) => Reaction {
  const configured = new Map(Object.entries(table).map(([key, action]) => [statusOf(key), parse(action)]));
  return (status) => configured.get(status) ?? defaultReactions.get(status) ?? rejected;
}

/** The form that operators know, such as `ESME_RTHROTTLED (0x58)`. */
export function nameStatus(status: number): string {
  const name = commandStatusName(status);
  const code = `0x${status.toString(16).toUpperCase().padStart(2, '0')}`;
  return name.startsWith('0x') ? `command_status ${code}` : `${name} (${code})`;
}

function statusOf(key: string): number {
  return key in commandStatus ? commandStatus[key as keyof typeof commandStatus] : Number(key);
}

function parse(action: string): Reaction {
  const [kind, name] = action.split(':');
  if (kind === 'fail' || kind === 'passOn') {
    return { kind, status: refusalStatuses[name as keyof typeof refusalStatuses] };
  }
  return { kind: kind as 'throttle' | 'retry' | 'rebind' };
}

/** What the operator should check when a bind is refused with this status. */
export function bindAdvice(status: number): string {
  const advice = bindAdvices.get(status);
  return advice === undefined ? '' : `; ${advice}`;
}

const bindAdvices: ReadonlyMap<number, string> = new Map([
  [commandStatus.ESME_RBINDFAIL, 'a wrong systemId or password, or an address that the SMSC does not know?'],
  [commandStatus.ESME_RINVPASWD, 'is the password right?'],
  [commandStatus.ESME_RINVSYSID, 'is the systemId right?'],
  [
    commandStatus.ESME_RALYBND,
    'are there more binds than the operator allows, or is another server bound as this systemId?',
  ],
  [commandStatus.ESME_RINVSYSTYP, 'is the systemType what the operator asks for?'],
  [commandStatus.ESME_RINVCMDID, 'does the operator offer this kind of bind (transceiver or pair)?'],
  [commandStatus.ESME_RTHROTTLED, 'too many attempts to bind; a longer reconnectMinMs may be needed'],
]);
