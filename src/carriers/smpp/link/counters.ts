/** What happened on the binds of a carrier since it was opened: for its operator to read. */

export interface Tally {
  /** Submissions that the SMSC took. */
  accepted: number;
  /** Submissions that it refused for having too much. */
  throttled: number;
  /** Requests that it did not answer in time. */
  timeouts: number;
  /** Answers that came when their time was over, and counted all the same. */
  lateAnswers: number;
  /** Binds that were lost, for whatever reason. */
  disconnects: number;
  /** Answers that came when they counted no more, twice, or for nothing that was asked. */
  unexpectedAnswers: number;
  /** PDUs that were unreadable or that an SMSC has no business to send. */
  refusedPdus: number;
  /** Times that nothing more was read from a bind until what had come was stored. */
  heldReads: number;
}

export function newTally(): Tally {
  return {
    accepted: 0,
    throttled: 0,
    timeouts: 0,
    lateAnswers: 0,
    disconnects: 0,
    unexpectedAnswers: 0,
    refusedPdus: 0,
    heldReads: 0,
  };
}
