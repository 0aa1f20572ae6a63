/** Which carriers send one receipt for all parts of a message, rather than one for each of them. */
import { byDialect, sql } from '../../storage/sql.ts';

const setting = byDialect({
  sqlite: "settings->>'receiptsPerMessage'",
  postgres: "settings::json->>'receiptsPerMessage'",
});

/**
 * Their ids, for `carrier_id IN ${…}`. Read from the settings as they are now, so that a changed setting holds for parked
 * receipts too. There are few carriers, and the engine looks at them once for a statement.
 */
export const carriersWithOneReceipt = sql`(SELECT carriers.id FROM carriers WHERE ${setting} = 'one')`;
