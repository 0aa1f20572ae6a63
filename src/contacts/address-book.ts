/** A company's list of contacts, which those users may read whom the operator lets. */

import type { ReadOwner } from '../storage/verb.ts';

/** As one of its readers sees it. */
export interface AddressBook {
  readonly id: number;
  readonly name: string;
  /** The one in which the reader's filters and groups are looked up. */
  readonly isDefault: boolean;
}

export interface BookQuery {
  readonly bookId: number;
  /** Whose turn it is to read. */
  readonly owner: ReadOwner;
}
