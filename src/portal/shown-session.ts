/** A session as its user, an administrator or an operator sees it in a list. */
import Type from 'typebox';
import type { Session } from './session.ts';

export const shownSession = Type.Object(
  {
    id: Type.String(),
    current: Type.Boolean({ description: 'Whether this session makes the call.' }),
    created: Type.String({ description: 'ISO 8601, UTC.' }),
    used: Type.String({ description: 'Last use, to the minute.' }),
    network: Type.String(),
    browser: Type.String({ description: 'Empty if unknown.' }),
  },
  { title: 'UserSession' },
);

type Listed = Pick<Session, 'id' | 'digest' | 'createdAt' | 'usedAt' | 'network' | 'browser'>;

/** `ownDigest` is that of the session that makes the call, if one does. */
export function showSession(
  { id, digest, createdAt, usedAt, network, browser }: Listed,
  ownDigest: string | undefined,
) {
  return {
    id,
    current: digest === ownDigest,
    created: new Date(createdAt).toISOString(),
    used: new Date(usedAt).toISOString(),
    network,
    browser,
  };
}

/** What a call answers that ends sessions. */
export const ended = Type.Object({ ended: Type.Integer({ description: 'Number of sessions ended.' }) });
