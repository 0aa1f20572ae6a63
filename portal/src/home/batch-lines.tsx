/** Lines for the batches that somebody has paused, and for those in progress. */
import type { AnswerOf } from '../api/endpoints.ts';
import { useAct } from '../api/queries.ts';
import { Button, ButtonLink } from '../design/button.tsx';
import { FaultNotice } from '../design/notice.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import type { Line, Source } from './lines.tsx';
import { useStart } from './start.ts';
import { useHomeWords } from './texts.ts';

type Batch = AnswerOf<'GET', '/api/v1/batches'>['batches'][number];

type Words = ReturnType<typeof useHomeWords>;

export function useBatchLines(): Source & { readonly underWay: readonly Line[] } {
  const words = useHomeWords();
  const { data } = useStart();
  const linesOf = (batches: readonly Batch[] = []) => batches.flatMap((batch) => lineOf(batch, words));
  return {
    needs: linesOf(data?.paused.batches),
    underWay: linesOf(data?.batches.batches.filter(({ state }) => state !== 'paused')),
    queries: [],
  };
}

/** Returns no line for a batch that is done. */
function lineOf({ id, name, state, totals, messages }: Batch, words: Words): readonly Line[] {
  if (!(state in words.states)) return [];
  const isPaused = state === 'paused';
  const shownState = words.states[state as keyof Words['states']];
  return [
    {
      key: `batch ${id}`,
      tone: isPaused ? 'waiting' : 'moving',
      icon: 'batches',
      title: name || words.batch(id),
      detail: `${shownState} · ${words.handedOver(messages - totals.waiting, messages)}`,
      act: isPaused ? <Resume id={id} /> : <Open id={id} />,
    },
  ];
}

function Open({ id }: { readonly id: string }) {
  const words = useHomeWords();
  return (
    <ButtonLink to="/batches/$id" params={{ id }}>
      {words.open}
    </ButtonLink>
  );
}

function Resume({ id }: { readonly id: string }) {
  const words = useHomeWords();
  const maySend = hasOneOf(useSession(), ['send', 'companyAdmin']);
  const { mutate, isPending, error } = useAct('/api/v1/batches/{id}/resume');
  if (!maySend) return <Open id={id} />;
  if (error !== null) return <FaultNotice fault={error} />;
  return (
    <Button busy={isPending} onClick={() => mutate({ parameters: { id } })}>
      {words.resume}
    </Button>
  );
}
