/** All carriers: how each is doing, and what waits for it. */
import type { AnswerOf } from '../api/endpoints.ts';
import { useRead } from '../api/queries.ts';
import { Answered } from '../design/answered.tsx';
import { ItemTable, RowLink } from '../design/cursor-list.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import layout from '../design/layout.module.css';
import { Page } from '../design/page.tsx';
import { Badge, type Tone } from '../design/status-badge.tsx';
import { Time } from '../design/time.tsx';
import { useNumbers } from '../words/words.ts';
import { useNetworkWords } from './texts.ts';

export type Carrier = AnswerOf<'GET', '/api/v1/operator/carriers'>['carriers'][number];
export type AtNode = Carrier['nodes'][number];

/** How much waits, and the figures of connections, are announced by nobody. */
export const live = { live: ['carriers', 'nodes'], everyMs: 15_000 };

export function CarriersPage() {
  const words = useNetworkWords();
  const number = useNumbers();
  return (
    <Page title={words.carriers}>
      <Answered read={useRead('/api/v1/operator/carriers', {}, live)}>
        {({ carriers }) =>
          carriers.length === 0 ? (
            <EmptyState icon="out" title={words.noCarriers}>
              {words.addOne}
            </EmptyState>
          ) : (
            <ItemTable
              label={words.carriers}
              items={carriers}
              keyOf={({ name }) => name}
              columns={[
                {
                  title: words.carrier,
                  place: 'main',
                  cell: ({ name, type }) => (
                    <RowLink to="/operator/carriers/$name" params={{ name }}>
                      <bdi>{name}</bdi> <span className={layout.soft}>{type}</span>
                    </RowLink>
                  ),
                },
                {
                  title: words.state,
                  place: 'aside',
                  width: '9rem',
                  cell: ({ state }) => <State state={state} />,
                },
                {
                  title: words.reason,
                  place: 'below',
                  width: 'minmax(0, 2fr)',
                  cell: ({ state, nodes }) => (
                    <Trouble nodes={nodes.filter((node) => node.state === state)} />
                  ),
                },
                { title: words.binds, width: '7.5rem', cell: ({ nodes }) => <Binds nodes={nodes} /> },
                {
                  title: words.rate,
                  width: '9rem',
                  cell: ({ throughput }) => (throughput === undefined ? words.noLimit : number(throughput)),
                },
                {
                  title: words.waiting,
                  width: '8rem',
                  place: 'below',
                  isNamed: true,
                  cell: ({ waiting }) => <Waiting count={waiting} />,
                },
                { title: words.routes, width: '4rem', cell: ({ routes }) => number(routes) },
              ]}
            />
          )
        }
      </Answered>
    </Page>
  );
}

const tones: Readonly<Record<Carrier['state'], Tone>> = {
  up: 'delivered',
  starting: 'moving',
  down: 'failed',
  unknown: 'waiting',
};

export function State({
  state,
  silent = false,
}: {
  readonly state: Carrier['state'];
  readonly silent?: boolean;
}) {
  const words = useNetworkWords();
  return silent ? (
    <Badge tone="waiting">{words.states.silent}</Badge>
  ) : (
    <Badge tone={tones[state]}>{words.states[state]}</Badge>
  );
}

/** What is wrong, in the words of the link, and since when. */
export function Trouble({ nodes }: { readonly nodes: readonly AtNode[] }) {
  const words = useNetworkWords();
  const [node] = nodes.filter(({ reason }) => reason !== undefined);
  if (node === undefined) return null;
  return (
    <span className={layout.wraps}>
      <span lang="en">{node.reason}</span>{' '}
      <span className={layout.soft}>
        {words.since} <Time at={node.since} />
      </span>
    </span>
  );
}

export function Binds({ nodes }: { readonly nodes: readonly AtNode[] }) {
  const words = useNetworkWords();
  const number = useNumbers();
  const sum = (figure: 'binds' | 'bindsUp') => nodes.reduce((all, node) => all + (node[figure] ?? 0), 0);
  return sum('binds') === 0 ? '–' : words.some(number(sum('bindsUp')), number(sum('binds')));
}

/** The server counts no further. */
const maxWaiting = 10_000;

export function Waiting({ count }: { readonly count: number }) {
  const words = useNetworkWords();
  const number = useNumbers();
  return count < maxWaiting ? number(count) : words.orMore(number(count));
}
