/** Which messages went to a simulator: no phone gets them. */
import { sql } from '../storage/sql.ts';

/** 1 or 0. The row of a carrier outlives its removal, so this can still be said of old messages. */
export const isSimulated = sql`CASE WHEN EXISTS (
    SELECT 1 FROM carriers WHERE carriers.id = messages.carrier_id AND type = 'simulator') THEN 1 ELSE 0 END`;
