/** A message as dispatch needs it: claimed by a node from those waiting, or expected there since it was accepted. */

export interface Claimed {
  readonly company_id: number;
  readonly id: number;
  readonly recipient: string;
  readonly sender: string;
  readonly text: string;
  readonly flash: number;
  readonly parts: number;
  readonly expires_at: number;
  readonly attempts: number;
  /** How many times it has been in doubt. */
  readonly in_doubt: number;
  /** Null for a message of one part. */
  readonly reference: number | null;
}
