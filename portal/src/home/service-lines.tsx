/**
 * What keeps messages from arriving: messages that failed today, carriers that are down, and quotas that are nearly used up.
 */
import type { StatusName } from '../../../src/messages/message.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import { useRead } from '../api/queries.ts';
import { ButtonLink } from '../design/button.tsx';
import { ReasonText } from '../design/fault-text.tsx';
import { toneOf } from '../design/status-badge.tsx';
import { useDesignWords } from '../design/texts.ts';
import { type Line, midnight, type Source } from './lines.tsx';
import { useStart } from './start.ts';
import { useHomeWords } from './texts.ts';

const live = ['messages', 'batches'];
/** Below this share, a quota or a daily limit counts as nearly used up. */
const littleLeft = 0.1;
const reasonsShown = 3;

/** Counting many messages takes the server a while, and a few more of them make no difference to the reader. */
const pauseAfter = ({ messages }: { readonly messages: number }) => (messages > 1_000 ? 10_000 : undefined);

export function useLatestCounts() {
  return useRead('/api/v1/usage/latest', { since: midnight() }, { live, pauseAfter });
}

export function useServiceLines(): Source {
  const words = useHomeWords();
  const { statuses: names } = useDesignWords();
  const latest = useLatestCounts();
  const { data } = useStart();
  const failed = (latest.data?.statuses ?? []).filter(({ status }) => toneOf[status] === 'failed');
  const needs = [
    ...(data?.carriers?.carriers ?? []).flatMap((carrier) => lineOfCarrier(carrier, words)),
    ...(failed.length === 0 ? [] : [lineOfFailed(failed, latest.data?.more === true, names, words)]),
    ...(data === undefined ? [] : linesOfQuota(data.quota, words)),
  ];
  return { needs, queries: [latest] };
}

type Words = ReturnType<typeof useHomeWords>;

function lineOfFailed(
  failed: AnswerOf<'GET', '/api/v1/usage/latest'>['statuses'],
  isMore: boolean,
  names: Readonly<Record<StatusName, string>>,
  words: Words,
): Line {
  const sum = failed.reduce((all, { messages }) => all + messages, 0);
  const inOrder = failed.toSorted((a, b) => b.messages - a.messages).slice(0, reasonsShown);
  return {
    key: 'failed',
    tone: 'failed',
    icon: 'alert',
    title: words.failedToday(sum, isMore),
    detail: inOrder.map(({ status, messages }) => `${names[status]}: ${messages}`).join(' · '),
    act: (
      <ButtonLink to="/messages" search={{ state: 'failed', period: 'today' }}>
        {words.look}
      </ButtonLink>
    ),
  };
}

/** A carrier is down if no node reaches it. */
function lineOfCarrier(
  { name, nodes }: AnswerOf<'GET', '/api/v1/carriers'>['carriers'][number],
  words: Words,
): readonly Line[] {
  const [first] = nodes;
  if (first === undefined || nodes.some(({ state }) => state !== 'down')) return [];
  return [
    {
      key: `carrier ${name}`,
      tone: 'failed',
      icon: 'stop',
      title: words.down(name),
      ...(first.reason !== undefined && {
        detail: <ReasonText reason={first.reason} values={first.reasonValues} />,
      }),
      act: (
        <ButtonLink to="/messages" search={{ state: 'waiting' }}>
          {words.whatWaits}
        </ButtonLink>
      ),
    },
  ];
}

function linesOfQuota({ company, ...own }: AnswerOf<'GET', '/api/v1/quota'>, words: Words): readonly Line[] {
  const limits = [
    ['ofUser', 'quota', own.quota],
    ['ofUser', 'day', own.day],
    ['ofCompany', 'quota', company?.quota],
    ['ofCompany', 'day', company?.day],
  ] as const;
  return limits.flatMap(([whose, kind, of]): readonly Line[] => {
    if (of === undefined || of.left >= of.limit * littleLeft) return [];
    return [
      {
        key: `${whose} ${kind}`,
        tone: of.left === 0 ? 'failed' : 'waiting',
        icon: 'clock',
        title: words.nearlyUsed[kind][whose],
        detail: words.left(of.left, of.limit),
        act: <ButtonLink to="/usage">{words.look}</ButtonLink>,
      },
    ];
  });
}
