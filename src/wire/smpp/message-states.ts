/** The states of a message by their names in receipts (SMPP 3.4 appendix B), with their message_state (5.2.28). */
export const messageStates = {
  ENROUTE: 1,
  DELIVRD: 2,
  EXPIRED: 3,
  DELETED: 4,
  UNDELIV: 5,
  ACCEPTD: 6,
  UNKNOWN: 7,
  REJECTD: 8,
} as const;

export type MessageState = keyof typeof messageStates;

/** The beginning of a text for a receipt, in characters that every alphabet has. */
export function excerptOf(text: string): string {
  return text.slice(0, 20).replace(/[^ -~]/g, '?');
}
