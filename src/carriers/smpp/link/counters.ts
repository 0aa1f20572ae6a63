/** Counts the events on a carrier's binds since the carrier was opened, for its operator. */

export type LinkCounters = ReturnType<typeof newLinkCounters>;

export function newLinkCounters() {
  return {
    /** Submissions that the SMSC accepted. */
    accepted: 0,
    /** Submissions that the SMSC refused because of its load. */
    throttled: 0,
    /** Requests without a response in time. */
    timeouts: 0,
    /** Responses that came after their time-out and still counted. */
    lateAnswers: 0,
    /** Binds that were lost, for whatever reason. */
    disconnects: 0,
    /** Responses that came too late to count, came twice, or belong to no request of ours. */
    unexpectedAnswers: 0,
    /** PDUs that were unreadable, or that an SMSC must not send. */
    refusedPdus: 0,
    /** PDUs that were accepted without their unreadable optional parameters. */
    damagedPdus: 0,
    /** The fault in the latest of these PDUs. */
    damage: undefined as string | undefined,
    /** How often reading from a bind was paused until the received data was stored. */
    heldReads: 0,
  };
}
