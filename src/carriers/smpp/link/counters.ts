/** Counts what has happened on the binds of a carrier since it was opened, for its operator. */

export interface LinkCounters {
  /** Submissions that the SMSC accepted. */
  accepted: number;
  /** Submissions that it refused because of its load. */
  throttled: number;
  /** Requests that it did not answer in time. */
  timeouts: number;
  /** Answers that came after their time-out, and still counted. */
  lateAnswers: number;
  /** Binds that were lost, for whatever reason. */
  disconnects: number;
  /** Answers that came too late to count, twice, or to no request of ours. */
  unexpectedAnswers: number;
  /** PDUs that were unreadable, or that an SMSC must not send. */
  refusedPdus: number;
  /** PDUs that were taken without those of their optional parameters that were unreadable. */
  damagedPdus: number;
  /** What was wrong with the latest of these. */
  damage: string | undefined;
  /** How often reading from a bind was paused until what had come was stored. */
  heldReads: number;
}

export function newLinkCounters(): LinkCounters {
  return {
    accepted: 0,
    throttled: 0,
    timeouts: 0,
    lateAnswers: 0,
    disconnects: 0,
    unexpectedAnswers: 0,
    refusedPdus: 0,
    damagedPdus: 0,
    damage: undefined,
    heldReads: 0,
  };
}
