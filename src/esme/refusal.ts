/** The command_status by which a client learns why a call was refused. */
import { type ErrorCode, ServiceError } from '../foundation/errors.ts';
import { commandStatus } from '../wire/smpp/command-status.ts';

const statuses: Partial<Readonly<Record<ErrorCode, number>>> = {
  invalid_number: commandStatus.ESME_RINVDSTADR,
  number_not_mobile: commandStatus.ESME_RINVDSTADR,
  number_machine_series: commandStatus.ESME_RINVDSTADR,
  no_route: commandStatus.ESME_RINVDSTADR,
  country_not_allowed: commandStatus.ESME_RINVDSTADR,
  no_recipients: commandStatus.ESME_RINVDSTADR,
  no_text: commandStatus.ESME_RINVMSGLEN,
  text_too_long: commandStatus.ESME_RINVMSGLEN,
  invalid_flash_text: commandStatus.ESME_RINVDCS,
  invalid_sender: commandStatus.ESME_RINVSRCADR,
  sender_not_allowed: commandStatus.ESME_RINVSRCADR,
  sender_not_yours: commandStatus.ESME_RINVSRCADR,
  no_sender: commandStatus.ESME_RINVSRCADR,
  invalid_time: commandStatus.ESME_RINVSCHED,
  rate_exceeded: commandStatus.ESME_RTHROTTLED,
  overloaded: commandStatus.ESME_RTHROTTLED,
};

/** Errors that pass are told from those that stay; clients repeat the former. */
export function statusOf(error: unknown): number {
  if (!(error instanceof ServiceError)) return commandStatus.ESME_RSYSERR;
  const [first] = error.errors;
  if (error.code === 'nothing_queued' && first !== undefined) return statusOfCode(first.code);
  return error.status >= 500 && error.code !== 'overloaded'
    ? commandStatus.ESME_RSYSERR
    : statusOfCode(error.code);
}

export function statusOfCode(code: ErrorCode): number {
  return statuses[code] ?? commandStatus.ESME_RSUBMITFAIL;
}

/** Whether other calls of the user would be refused too. */
export function isThrottled(error: unknown): boolean {
  return statusOf(error) === commandStatus.ESME_RTHROTTLED;
}

const passing: readonly number[] = [commandStatus.ESME_RSYSERR, commandStatus.ESME_RTHROTTLED];

/** Whether the same call may succeed later. */
export function isPassing(error: unknown): boolean {
  return passing.includes(statusOf(error));
}
