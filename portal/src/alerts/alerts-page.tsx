/** What people were woken for, the latest first; and while there is nothing, how a program is connected. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { AnswerOf } from '../api/endpoints.ts';
import { useList, useRead } from '../api/queries.ts';
import { CopyButton } from '../design/as-curl.tsx';
import { ButtonLink } from '../design/button.tsx';
import { RowLink } from '../design/cursor-list.tsx';
import { Choice, SelectField } from '../design/field.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { ResourcePage } from '../design/resource-page.tsx';
import { Badge, type Tone } from '../design/status-badge.tsx';
import { Time } from '../design/time.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { inNameOrder } from '../words/language.ts';
import { addressOf, type Receiver, receiversPath } from './receiver.ts';
import { useAlertWords, useReceiverWords } from './texts.ts';

const path = '/api/v1/incidents';
type Incident = AnswerOf<'GET', typeof path>['incidents'][number];
const states = ['opening', 'open', 'ended', 'failed'] as const;

export interface IncidentFilters {
  readonly receiver?: string;
  readonly state?: Incident['state'];
}

export function AlertsPage() {
  const words = useAlertWords();
  const filters = useSearch({ from: '/alerts' });
  const isAdministrator = hasOneOf(useSession(), ['companyAdmin']);
  const list = useList(path, 'incidents', { ...filters }, { live: ['incidents'] });
  const { data } = useRead(
    receiversPath,
    { limit: 200 },
    { live: ['alertreceivers'], enabled: isAdministrator },
  );
  const receivers = data?.receivers ?? [];
  const isFiltered = Object.keys(filters).length > 0;
  const names = [...receivers, ...list.items.map(({ receiver }) => ({ name: receiver }))];
  return (
    <ResourcePage
      title={words.title}
      lead={words.lead}
      actions={isAdministrator && <ButtonLink to="/admin/alert-receivers">{words.receivers}</ButtonLink>}
      make={isAdministrator && !isFiltered && <Connect receivers={receivers} />}
      above={
        (isFiltered || list.items.length > 0) && (
          <Filter filters={filters} receivers={names.map(({ name }) => name)} />
        )
      }
      list={list}
      keyOf={({ id }) => id}
      none={{ icon: 'alert', ...noneOf(words, { isFiltered, isAdministrator, receivers }) }}
      columns={[
        {
          title: words.what,
          place: 'main',
          width: 'minmax(0, 2fr)',
          cell: ({ id, title }) => (
            <RowLink to="/alerts/$id" params={{ id }}>
              <bdi>{title}</bdi>
            </RowLink>
          ),
        },
        { title: words.receiver, place: 'below', cell: ({ receiver }) => <bdi>{receiver}</bdi> },
        {
          title: words.alerts,
          place: 'below',
          width: 'minmax(0, 1.5fr)',
          cell: (one) => <Count incident={one} />,
        },
        {
          title: words.state,
          place: 'aside',
          width: '9.5rem',
          cell: (one) => <StateBadge incident={one} />,
        },
        {
          title: words.acknowledged,
          place: 'below',
          width: 'minmax(0, 1.5fr)',
          cell: (one) => <Acknowledged incident={one} />,
        },
        {
          title: words.since,
          width: '6rem',
          place: 'below',
          isNamed: true,
          cell: ({ opened }) => <Time at={opened} />,
        },
      ]}
    />
  );
}

interface Viewed {
  readonly isFiltered: boolean;
  readonly isAdministrator: boolean;
  readonly receivers: readonly Receiver[];
}

function noneOf(
  words: ReturnType<typeof useAlertWords>,
  { isFiltered, isAdministrator, receivers }: Viewed,
): { readonly title: string; readonly text: string } {
  if (isFiltered) return { title: words.noMatch, text: words.noMatchText };
  if (!isAdministrator) return { title: words.none, text: words.noneForUser };
  return receivers.length === 0
    ? { title: words.unconnected, text: words.unconnectedText }
    : { title: words.none, text: words.noneText };
}

function Connect({ receivers }: { readonly receivers: readonly Receiver[] }) {
  const words = useReceiverWords();
  if (receivers.length === 0)
    return (
      <div className={`${layout.centred} ${layout.wraps}`}>
        <code className={layout.soft}>{addressOf('…').replace('%E2%80%A6', '…')}</code>
        <ButtonLink to="/admin/alert-receivers/new" look="main" icon={<Icon name="plus" />}>
          {words.make}
        </ButtonLink>
      </div>
    );
  return (
    <ul className={layout.stack}>
      {receivers.map(({ name, source }) => (
        <li key={name} className={`${layout.centred} ${layout.wraps}`}>
          <span>
            {words.sources[source]}: <code>{addressOf(name)}</code>
          </span>
          <CopyButton text={addressOf(name)} label={words.copyAddress} />
        </li>
      ))}
    </ul>
  );
}

interface FilterProps {
  readonly filters: IncidentFilters;
  readonly receivers: readonly string[];
}

function Filter({ filters, receivers }: FilterProps) {
  const words = useAlertWords();
  const navigate = useNavigate({ from: '/alerts' });
  const { receiver = '', state } = filters;
  const show = (next: IncidentFilters) => void navigate({ search: next, replace: true });
  const names = new Set([...receivers, ...(receiver === '' ? [] : [receiver])]);
  return (
    <search className={`${layout.row} ${layout.apart}`}>
      <Choice
        hideLabel
        label={words.state}
        value={state ?? 'all'}
        options={(['all', ...states] as const).map((one) => [one, words.states[one]])}
        onChange={(one) => show({ ...(receiver && { receiver }), ...(one !== 'all' && { state: one }) })}
      />
      <div className={layout.narrow}>
        <SelectField
          label={words.receiver}
          value={receiver}
          onChange={({ target }) =>
            show({ ...(target.value && { receiver: target.value }), ...(state && { state }) })
          }
        >
          <option value="">{words.allReceivers}</option>
          {inNameOrder([...names], (name) => name).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
      </div>
    </search>
  );
}

interface Of {
  readonly incident: Incident;
}

/** What it is now, as somebody who is woken asks: whether somebody takes care. */
export function StateBadge({ incident: { state, acknowledged, runId } }: Of) {
  const words = useAlertWords();
  const tones: Readonly<Record<Incident['state'], Tone>> = {
    opening: 'waiting',
    open: 'moving',
    ended: 'delivered',
    failed: 'failed',
  };
  if (state === 'open' && acknowledged !== undefined) return <Badge tone="answered">{words.taken}</Badge>;
  if (state === 'open' && runId !== undefined) return <Badge tone="moving">{words.noYes}</Badge>;
  return <Badge tone={tones[state]}>{words.states[state]}</Badge>;
}

export function Count({ incident: { state, alerts, firing, leftOut } }: Of) {
  const words = useAlertWords();
  const parts = [
    words.count(alerts),
    ...(firing > 0 && state !== 'ended' ? [words.stillFiring(firing, alerts)] : []),
    ...(leftOut > 0 ? [words.leftOut(leftOut)] : []),
  ];
  return parts.join(', ');
}

export function Acknowledged({ incident: { acknowledged, acknowledgedBy } }: Of) {
  const words = useAlertWords();
  return (
    acknowledged !== undefined && (
      <span>
        {words.by(acknowledgedBy ?? words.somebody)} · <Time at={acknowledged} />
      </span>
    )
  );
}
