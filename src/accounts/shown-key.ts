/** An API key as the management API shows it: never the text that lets in. */
import Type from 'typebox';
import { type ApiKey, type ApiKeyState, apiKeyState } from './api-keys.ts';

export const keyFields = {
  id: Type.String(),
  name: Type.String(),
  state: Type.Unsafe<ApiKeyState>({ type: 'string', enum: ['enabled', 'expired', 'revoked'] }),
  created: Type.String({ description: 'ISO 8601, UTC.' }),
  expires: Type.Optional(Type.String({ description: 'Absent where it does not end by itself.' })),
  used: Type.Optional(
    Type.String({ description: 'Its last use, to the minute; absent where none is known.' }),
  ),
};

export const apiKeySchema = Type.Object(keyFields, { title: 'ApiKey' });

export function shownKey(key: ApiKey, now: number) {
  const { id, name, createdAt, expiresAt, usedAt } = key;
  const isoOf = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString());
  return {
    id: String(id),
    name,
    state: apiKeyState(key, now),
    created: new Date(createdAt).toISOString(),
    expires: isoOf(expiresAt),
    used: isoOf(usedAt),
  };
}
