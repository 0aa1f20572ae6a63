/** Ids of a carrier are compared without zeros in front and letter case: the index of the parts has them so. */
import { type Fragment, raw } from '../../storage/sql.ts';

/** A condition: has the part the id of the row of this set? Carriers write it with and without zeros, to any width. */
export function sameId(set: string): Fragment {
  return raw(`${plain('message_parts')} = ${plain(set)}`);
}

function plain(table: string): string {
  return `ltrim(lower(${table}.carrier_message_id), '0')`;
}
