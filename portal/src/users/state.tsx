/** Whether a user can sign in, in words and colour. */
import type { AnswerOf } from '../api/endpoints.ts';
import { Badge } from '../design/status-badge.tsx';
import { useUserWords } from './texts.ts';

export type User = AnswerOf<'GET', '/api/v1/users/{id}'>;

const tones = { active: 'delivered', noPassword: 'waiting', inactive: 'cancelled' } as const;

export function StateBadge({
  user: { active, hasPassword },
}: {
  readonly user: Pick<User, 'active' | 'hasPassword'>;
}) {
  const words = useUserWords();
  const state = active ? (hasPassword ? 'active' : 'noPassword') : 'inactive';
  return <Badge tone={tones[state]}>{words.states[state]}</Badge>;
}
