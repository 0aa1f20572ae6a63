/** How many connections a user has bound, counted over all nodes that live. */
import { forUpdate, sql } from '../storage/sql.ts';
import { singleWriteVerb } from '../storage/verb.ts';

export interface BindOfNode {
  readonly userId: number;
  readonly nodeId: number;
  /** The number of the connection at its node. */
  readonly bind: number;
}

/** False if the user has as many binds already as the login may have. */
export const keepBind = singleWriteVerb(
  'esme.keepBind',
  async (transaction, { userId, nodeId, bind }: BindOfNode) => {
    const login = await transaction.first<{ binds: number }>(
      sql`SELECT binds FROM smpp_logins WHERE user_id = ${userId} ${forUpdate}`,
    );
    await transaction.run(
      sql`DELETE FROM esme_binds WHERE user_id = ${userId}
          AND NOT EXISTS (SELECT 1 FROM nodes WHERE id = esme_binds.node_id AND ended = 0)`,
    );
    const { count } = (await transaction.first<{ count: number }>(
      sql`SELECT COUNT(*) AS count FROM esme_binds WHERE user_id = ${userId}`,
    )) ?? { count: 0 };
    if (login === undefined || count >= login.binds) return false;
    await transaction.run(
      sql`INSERT INTO esme_binds (user_id, node_id, bind) VALUES (${userId}, ${nodeId}, ${bind})`,
    );
    return true;
  },
);

export const endBind = singleWriteVerb(
  'esme.endBind',
  async (transaction, { userId, nodeId, bind }: BindOfNode) => {
    await transaction.run(
      sql`DELETE FROM esme_binds WHERE user_id = ${userId} AND node_id = ${nodeId} AND bind = ${bind}`,
    );
    return null;
  },
);
