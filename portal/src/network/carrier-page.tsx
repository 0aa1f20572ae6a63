/** One carrier: how it is doing at each node, why messages are sent again, and its settings. */
import { useParams } from '@tanstack/react-router';
import type { AnswerOf } from '../api/endpoints.ts';
import { useRead } from '../api/queries.ts';
import { Answered } from '../design/answered.tsx';
import { BackLink, ButtonLink } from '../design/button.tsx';
import { ItemTable } from '../design/cursor-list.tsx';
import { Facts } from '../design/facts.tsx';
import layout from '../design/layout.module.css';
import { Card, Page, Section } from '../design/page.tsx';
import { useNumbers } from '../words/words.ts';
import { CarrierTests } from './carrier-test.tsx';
import { type AtNode, Binds, live, State, Trouble, Waiting } from './carriers-page.tsx';
import { useNetworkWords } from './texts.ts';

const path = '/api/v1/operator/carriers/{name}';

export function CarrierPage() {
  const words = useNetworkWords();
  const { name } = useParams({ from: '/operator/carriers/$name' });
  return (
    <Page
      title={name}
      back={<BackLink to="/operator/carriers">{words.carriers}</BackLink>}
      actions={
        <>
          <ButtonLink to="/operator/routes" search={{ carrier: name }}>
            {words.routes}
          </ButtonLink>
          <ButtonLink to="/operator/receipts" search={{ carrier: name }}>
            {words.receipts}
          </ButtonLink>
        </>
      }
    >
      <Answered read={useRead(path, { name }, live)}>{(carrier) => <One {...carrier} />}</Answered>
    </Page>
  );
}

function One({ nodes, retries, settings, ...carrier }: AnswerOf<'GET', typeof path>) {
  const words = useNetworkWords();
  const number = useNumbers();
  return (
    <div className={`${layout.stack} ${layout.loose}`}>
      <Card>
        <Facts
          facts={[
            [words.state, <State key="state" state={carrier.state} />],
            [words.type, carrier.type],
            [words.rate, carrier.throughput === undefined ? words.noLimit : number(carrier.throughput)],
            [words.waiting, <Waiting key="waiting" count={carrier.waiting} />],
            [words.inFlight, <Waiting key="in flight" count={carrier.inFlight} />],
            [words.routes, number(carrier.routes)],
          ]}
        />
      </Card>
      {nodes.length > 0 && (
        <Section title={words.nodes}>
          <ItemTable
            label={words.nodes}
            items={nodes}
            keyOf={({ node }) => node}
            columns={[
              { title: words.node, place: 'main', width: '4rem', isNamed: true, cell: ({ node }) => node },
              { title: words.state, place: 'aside', width: '9rem', cell: (node) => <State {...node} /> },
              { title: words.binds, width: '7.5rem', cell: (node) => <Binds nodes={[node]} /> },
              { title: words.window, width: '11rem', cell: (node) => <Window node={node} /> },
              { title: words.reason, place: 'below', cell: (node) => <Trouble nodes={[node]} /> },
            ]}
          />
        </Section>
      )}
      {retries.length > 0 && (
        <Section title={words.retries}>
          <ItemTable
            label={words.retries}
            items={retries}
            keyOf={({ reason }) => reason}
            columns={[
              {
                title: words.reason,
                place: 'main',
                cell: ({ reason }) => (
                  <span lang="en" className={layout.wraps}>
                    {reason}
                  </span>
                ),
              },
              {
                title: words.messages,
                place: 'aside',
                width: '8rem',
                cell: ({ messages }) => number(messages),
              },
            ]}
          />
        </Section>
      )}
      <CarrierTests key={carrier.name} name={carrier.name} />
      <Section title={words.settings}>
        <Facts
          facts={settings.map(({ name, value }) => [
            name,
            <code key={name} className={layout.wraps}>
              {value}
            </code>,
          ])}
        />
      </Section>
    </div>
  );
}

function Window({ node: { window, windowUsed } }: { readonly node: AtNode }) {
  const words = useNetworkWords();
  const number = useNumbers();
  return window === undefined ? '–' : words.some(number(windowUsed ?? 0), number(window));
}
