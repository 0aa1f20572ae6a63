/** How the service is doing: first what somebody has to see to, then the nodes, what waits, and the store. */
import type { AnswerOf } from '../api/endpoints.ts';
import { useRead } from '../api/queries.ts';
import { Answered } from '../design/answered.tsx';
import { ItemTable } from '../design/cursor-list.tsx';
import { Facts } from '../design/facts.tsx';
import layout from '../design/layout.module.css';
import { Notice } from '../design/notice.tsx';
import { Card, Page, Section } from '../design/page.tsx';
import { Badge } from '../design/status-badge.tsx';
import { Time } from '../design/time.tsx';
import { now } from '../words/times.ts';
import { useNumbers } from '../words/words.ts';
import { useCounted } from './companies-page.tsx';
import { useOperatorWords } from './texts.ts';

type Service = AnswerOf<'GET', '/api/v1/operator/service'>;

/** How much waits, and heartbeats, are announced by nobody. */
const live = { live: ['nodes'], everyMs: 15_000 };
/** Manual renewals of a certificate need some days. */
const renewMs = 14 * 86_400_000;
/** Messages that are due are handed over at once, unless their carrier has no room. */
const longMs = 5 * 60_000;

export function ServicePage() {
  const words = useOperatorWords();
  const read = useRead('/api/v1/operator/service', {}, live);
  return (
    <Page title={words.service}>
      <Answered read={read}>{(service) => <Shown service={service} />}</Answered>
    </Page>
  );
}

/** What is wrong, and what to do. */
function useProblems(): (service: Service) => readonly string[] {
  const words = useOperatorWords();
  return ({ nodes, waiting, store, certificateEnd }) => {
    const age = (at: string) => now().getTime() - Date.parse(at);
    const late = waiting.find(({ oldest }) => age(oldest) > longMs);
    const silent = nodes.find((node) => node.silent);
    return [
      store.damaged && words.damaged,
      silent && words.silentNode(silent.id),
      late && words.late(late.carrier),
      certificateEnd !== undefined && age(certificateEnd) > -renewMs && words.certificateEnds,
    ].filter((problem) => typeof problem === 'string');
  };
}

function Shown({ service }: { readonly service: Service }) {
  const words = useOperatorWords();
  const [written, counted] = [useNumbers(), useCounted()];
  const problems = useProblems()(service);
  const { nodes, waiting, store, files, certificateEnd } = service;
  return (
    <>
      {problems.length === 0 && <Notice tone="good">{words.well}</Notice>}
      {problems.map((problem) => (
        <Notice key={problem} tone="error">
          {problem}
        </Notice>
      ))}
      <Section title={words.nodes}>
        <ItemTable
          label={words.nodes}
          items={nodes}
          keyOf={({ id }) => id}
          columns={[
            { title: words.node, place: 'main', cell: ({ id }) => words.nodeOf(id) },
            { title: words.roles, place: 'below', cell: ({ roles }) => roles.join(', ') },
            { title: words.version, width: '8rem', cell: ({ version }) => version },
            {
              title: words.started,
              width: '9rem',
              place: 'below',
              isNamed: true,
              cell: ({ started }) => <Time at={started} />,
            },
            {
              title: words.lastBeat,
              width: '9rem',
              cell: ({ lastBeat }) => lastBeat !== undefined && <Time at={lastBeat} />,
            },
            {
              title: words.state,
              width: '7rem',
              place: 'aside',
              cell: ({ silent }) => (
                <Badge tone={silent ? 'failed' : 'delivered'}>{silent ? words.silent : words.alive}</Badge>
              ),
            },
          ]}
        />
      </Section>
      <Section title={words.waiting}>
        {waiting.length === 0 ? (
          <p>{words.nothingWaits}</p>
        ) : (
          <ItemTable
            label={words.waiting}
            items={waiting}
            keyOf={({ carrier, lane }) => `${carrier} ${lane}`}
            columns={[
              { title: words.carrier, place: 'main', cell: ({ carrier }) => <bdi>{carrier}</bdi> },
              { title: words.lane, place: 'below', cell: ({ lane }) => words.lanes[lane] },
              {
                title: words.messages,
                width: '8rem',
                cell: ({ messages }) => counted(messages),
                place: 'aside',
              },
              {
                title: words.oldest,
                width: '9rem',
                place: 'below',
                isNamed: true,
                cell: ({ oldest }) => <Time at={oldest} />,
              },
            ]}
          />
        )}
      </Section>
      <Section title={words.store}>
        <Card>
          <Facts
            facts={[
              [words.engine, store.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'],
              [words.size, `${written(Math.ceil(store.bytes / 1_000_000))} MB`],
              [words.schema, String(store.schema)],
              ...files.map(
                ({ source, applied }) =>
                  [
                    words.file,
                    <span key={source} className={layout.wraps}>
                      <bdi>{source}</bdi>, <Time at={applied} />
                    </span>,
                  ] as const,
              ),
              [words.certificate, certificateEnd && <Time at={certificateEnd} />],
            ]}
          />
        </Card>
      </Section>
    </>
  );
}
