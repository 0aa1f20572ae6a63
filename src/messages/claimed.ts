/** A message as dispatch needs it: claimed by a node from those that wait, or expected there since its acceptance. */

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
  /** How often it was in doubt. */
  readonly in_doubt: number;
  /** Null where there is one part. */
  readonly reference: number | null;
}
