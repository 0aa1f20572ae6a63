/** Lines for what the reader sent to several people in the last day and a half, with who has answered. */
import { ButtonLink } from '../design/button.tsx';
import { useSession } from '../session/session.ts';
import { now } from '../words/times.ts';
import type { Line, Source } from './lines.tsx';
import { useStart } from './start.ts';
import { useHomeWords } from './texts.ts';

const shown = 3;
const shownForMs = 36 * 60 * 60_000;

export function useSendingLines(): Source & { readonly underWay: readonly Line[] } {
  const words = useHomeWords();
  const { username } = useSession();
  const { data } = useStart();
  const since = now().getTime() - shownForMs;
  const lines = (data?.sendings.sendings ?? []).flatMap((one): readonly Line[] => {
    const { id, title, answers, totals, accepted, scheduledFor } = one;
    const isRecent = new Date(scheduledFor ?? accepted).getTime() > since;
    if (answers === undefined || one.username !== username || !isRecent || totals.scheduled > 0) return [];
    const { yes, no, other, silent } = answers;
    return [
      {
        key: `sending ${id}`,
        tone: silent === 0 ? 'answered' : 'moving',
        icon: 'reply',
        title,
        detail: words.answers(yes, no, other, silent),
        act: (
          <ButtonLink to="/sendings/$id" params={{ id }}>
            {words.open}
          </ButtonLink>
        ),
      },
    ];
  });
  return { needs: [], underWay: lines.slice(0, shown), queries: [] };
}
