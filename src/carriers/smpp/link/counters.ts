/** Counts what has happened on the binds of a carrier since it was opened, for its operator. */

export type LinkCounters = ReturnType<typeof newLinkCounters>;

export function newLinkCounters() {
  return {
    /** Submissions that the SMSC accepted. */
    accepted: 0,
    /** Submissions that it refused because of its load. */
    throttled: 0,
    /** Requests that it did not answer in time. */
    timeouts: 0,
    /** Answers that came after their time-out, and still counted. */
    lateAnswers: 0,
    /** Binds that were lost, for whatever reason. */
    disconnects: 0,
    /** Answers that came too late to count, twice, or to no request of ours. */
    unexpectedAnswers: 0,
    /** PDUs that were unreadable, or that an SMSC must not send. */
    refusedPdus: 0,
    /** PDUs that were taken without those of their optional parameters that were unreadable. */
    damagedPdus: 0,
    /** What was wrong with the latest of these. */
    damage: undefined as string | undefined,
    /** How often reading from a bind was paused until what had come was stored. */
    heldReads: 0,
  };
}
