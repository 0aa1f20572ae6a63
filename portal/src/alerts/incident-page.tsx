/** What people were woken for: its alerts, who takes care, and what its source was told. */
import { Link, useParams } from '@tanstack/react-router';
import type { AnswerOf } from '../api/endpoints.ts';
import { useAct, useRead } from '../api/queries.ts';
import { Answered } from '../design/answered.tsx';
import { BackLink } from '../design/button.tsx';
import { ConfirmButton } from '../design/confirm-dialog.tsx';
import { ItemTable } from '../design/cursor-list.tsx';
import { Facts } from '../design/facts.tsx';
import { ReasonText } from '../design/fault-text.tsx';
import layout from '../design/layout.module.css';
import { Card, Page, Section } from '../design/page.tsx';
import { Badge } from '../design/status-badge.tsx';
import { Time } from '../design/time.tsx';
import { showToast } from '../design/toasts.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { useNumbers } from '../words/words.ts';
import { Acknowledged, Count, StateBadge } from './alerts-page.tsx';
import { useAlertWords } from './texts.ts';

const path = '/api/v1/incidents/{id}';
type Incident = AnswerOf<'GET', typeof path>;
type Alert = Incident['list'][number];

interface Of {
  readonly incident: Incident;
}

export function IncidentPage() {
  const words = useAlertWords();
  const { id } = useParams({ from: '/alerts/$id' });
  // Nobody announces what its source was told.
  const read = useRead(path, { id }, { live: ['incidents'], everyMs: 15_000 });
  const { data } = read;
  return (
    <Page
      title={data?.title ?? words.title}
      lead={data && <StateBadge incident={data} />}
      back={<BackLink to="/alerts">{words.back}</BackLink>}
      actions={data && (data.state === 'open' || data.state === 'opening') && <End id={data.id} />}
    >
      <Answered read={read}>
        {(incident) => (
          <div className={`${layout.stack} ${layout.loose}`}>
            <Summary incident={incident} />
            <Alerts incident={incident} />
            <Told incident={incident} />
          </div>
        )}
      </Answered>
    </Page>
  );
}

function End({ id }: Pick<Incident, 'id'>) {
  const words = useAlertWords();
  return (
    <ConfirmButton
      label={words.endIt}
      title={words.endTitle}
      question={words.endSure}
      act={useAct('/api/v1/incidents/{id}/end')}
      parameters={{ id }}
      done={() => showToast({ text: words.ended })}
    />
  );
}

function Summary({ incident }: Of) {
  const words = useAlertWords();
  const { state, receiver, opened, ended, endedBy, acknowledged, message, reason, reasonValues } = incident;
  return (
    <Card className={layout.stack}>
      <Facts
        facts={[
          [words.people, <People key="people" incident={incident} />],
          [words.acknowledged, acknowledged !== undefined && <Acknowledged key="who" incident={incident} />],
          [words.since, <Time key="since" at={opened} full />],
          [
            words.over,
            ended !== undefined && (
              <span key="over">
                <Time at={ended} full /> {endedBy !== undefined && words.by(endedBy)}
              </span>
            ),
          ],
          [words.alerts, <Count key="count" incident={incident} />],
          [words.receiver, <ReceiverLink key="receiver" name={receiver} />],
          [
            state === 'failed' ? words.why : words.lastTry,
            reason !== undefined && <ReasonText key="why" reason={reason} values={reasonValues} />,
          ],
        ]}
      />
      {message !== undefined && (
        <div className={`${layout.stack} ${layout.close}`}>
          <span className={layout.soft}>{words.text}</span>
          <p className={layout.sms}>{message}</p>
        </div>
      )}
    </Card>
  );
}

/** The board of the run; or the sending, which has the id of its first SMS. */
function People({ incident: { runId, messages = 0, messageId: id = '' } }: Of) {
  const words = useAlertWords();
  if (runId !== undefined)
    return (
      <Link to="/runs/$id" params={{ id: runId }}>
        {words.board}
      </Link>
    );
  if (messages === 0) return '–';
  return (
    <Link to={messages === 1 ? '/messages/$id' : '/sendings/$id'} params={{ id }}>
      {words.messages(messages)}
    </Link>
  );
}

function ReceiverLink({ name }: { readonly name: string }) {
  const isAdministrator = hasOneOf(useSession(), ['companyAdmin']);
  if (!isAdministrator) return <bdi>{name}</bdi>;
  return (
    <Link to="/admin/alert-receivers/$name" params={{ name }}>
      <bdi>{name}</bdi>
    </Link>
  );
}

function Alerts({ incident: { list, alerts } }: Of) {
  const words = useAlertWords();
  return (
    <Section title={words.itsAlerts}>
      {list.length === 0 && <p className={layout.soft}>{words.noAlerts}</p>}
      {list.length > 0 && (
        <ItemTable
          label={words.itsAlerts}
          items={list}
          keyOf={({ fingerprint }) => fingerprint}
          columns={[
            {
              title: words.what,
              place: 'main',
              width: 'minmax(0, 3fr)',
              cell: (alert) => <AlertOf alert={alert} />,
            },
            {
              title: words.state,
              place: 'aside',
              width: '8rem',
              cell: ({ state }) => (
                <Badge tone={state === 'firing' ? 'moving' : 'delivered'}>{words[state]}</Badge>
              ),
            },
            {
              title: words.fired,
              place: 'below',
              isNamed: true,
              width: '8rem',
              cell: ({ fired }) => <Time at={fired} />,
            },
            { title: words.lastHeard, width: '8rem', cell: ({ heard }) => <Time at={heard} /> },
            { title: words.times, width: '6rem', cell: ({ times }) => words.timesOf(times) },
          ]}
        />
      )}
      {list.length > 0 && list.length < alerts && (
        <p className={layout.soft}>{words.firstOnly(list.length, alerts)}</p>
      )}
    </Section>
  );
}

function AlertOf({ alert: { title, url, labels, annotations } }: { readonly alert: Alert }) {
  const words = useAlertWords();
  const facts = Object.entries({ ...annotations, ...labels });
  return (
    <div className={`${layout.stack} ${layout.close}`}>
      <bdi>{title}</bdi>
      {facts.length > 0 && (
        <details>
          <summary className={layout.soft}>{words.details}</summary>
          <Facts facts={facts} />
        </details>
      )}
      {url !== undefined && (
        <a href={url} target="_blank" rel="noreferrer" className={layout.soft}>
          {words.openSource}
        </a>
      )}
    </div>
  );
}

function Told({ incident: { acknowledgements } }: Of) {
  const words = useAlertWords();
  const number = useNumbers();
  return (
    <Section title={words.source}>
      {acknowledgements.length === 0 && <p className={layout.soft}>{words.sourceNothing}</p>}
      {acknowledgements.length > 0 && (
        <ItemTable
          label={words.source}
          items={acknowledgements.map((one, place) => ({ ...one, place: String(place) }))}
          keyOf={({ place }) => place}
          columns={[
            { title: words.told, place: 'main', width: '9rem', cell: ({ made }) => <Time at={made} /> },
            {
              title: words.outcome,
              place: 'aside',
              width: '9rem',
              cell: ({ state }) => <Badge tone={outcomeTones[state]}>{words.outcomes[state]}</Badge>,
            },
            {
              title: words.reason,
              place: 'below',
              width: 'minmax(0, 3fr)',
              cell: ({ reason, reasonValues }) =>
                reason !== undefined && (
                  <span className={layout.wraps}>
                    <ReasonText reason={reason} values={reasonValues} />
                  </span>
                ),
            },
            {
              title: words.attempts,
              width: '5rem',
              place: 'below',
              isNamed: true,
              cell: ({ attempts }) => number(attempts),
            },
            {
              title: words.next,
              width: '8rem',
              cell: ({ state, next }) => state === 'waiting' && next !== undefined && <Time at={next} />,
            },
          ]}
        />
      )}
    </Section>
  );
}

const outcomeTones = { waiting: 'waiting', done: 'delivered', failed: 'failed' } as const;
