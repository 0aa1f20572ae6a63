/** Everything that happened to a message, in a readable form, the earliest first. */
import type { AnswerOf } from '../api/endpoints.ts';
import { ReasonText } from './fault-text.tsx';
import layout from './layout.module.css';
import { Badge, type Tone, toneOf } from './status-badge.tsx';
import { useDesignWords } from './texts.ts';
import { Time } from './time.tsx';
import styles from './timeline.module.css';
import { useTimelineWords } from './timeline-texts.ts';

type Message = Pick<AnswerOf<'GET', '/api/v1/messages/{id}'>, 'timeline' | 'leftOut'>;
type Entry = Message['timeline'][number];

/** The tone of each entry; entries without one are quiet. */
const tones: Partial<Readonly<Record<Entry['what'], Tone>>> = {
  taken: 'moving',
  retry: 'waiting',
  'in doubt': 'failed',
  refused: 'failed',
  'given up': 'failed',
  expired: 'failed',
  cancelled: 'cancelled',
};

const toneOfEntry = ({ what, status }: Entry): Tone | 'quiet' =>
  (what === 'receipt' && status !== undefined ? toneOf[status] : tones[what]) ?? 'quiet';

export function Timeline({ message }: { readonly message: Message }) {
  const words = useTimelineWords();
  const { timeline, leftOut } = message;
  return (
    <>
      <ol>
        {timeline.map((entry, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: nothing comes before what has happened
          <li key={place} className={styles.entry} data-tone={toneOfEntry(entry)}>
            <Happened entry={entry} />
          </li>
        ))}
      </ol>
      {leftOut > 0 && <p className={layout.soft}>{words.leftOut(leftOut)}</p>}
    </>
  );
}

function Happened({ entry }: { readonly entry: Entry }) {
  const words = useTimelineWords();
  const { statuses } = useDesignWords();
  const { what, time, status, receipt } = entry;
  return (
    <>
      <div className={`${layout.row} ${layout.level}`}>
        <h3>{words.events[what]}</h3>
        {what.startsWith('receipt') && status !== undefined && (
          <Badge tone={toneOf[status]}>{statuses[status]}</Badge>
        )}
        <span className={`${styles.when} ${layout.soft}`}>
          <Time at={time} full />
        </span>
      </div>
      <Details entry={entry} />
      {receipt !== undefined && <Receipt receipt={receipt} />}
    </>
  );
}

function Details({ entry }: { readonly entry: Entry }) {
  const words = useTimelineWords();
  const {
    part,
    parts,
    carrier,
    toCarrier,
    attempt,
    carrierMessageId,
    scheduledFor,
    againAt,
    errorCode,
    reason,
    reasonValues,
  } = entry;
  const path = [carrier, toCarrier].filter((one) => one !== undefined).join(' → ');
  const facts = [
    path,
    part !== undefined && parts !== undefined && parts > 1 ? words.part(part, parts) : '',
    entry.what === 'claimed' && attempt !== undefined && attempt > 1 ? words.attempt(attempt) : '',
    carrierMessageId === undefined ? '' : `${words.atCarrier} ${carrierMessageId}`,
    errorCode === undefined || /^0*$/.test(errorCode) ? '' : `${words.errorCode} ${errorCode}`,
  ].filter((fact) => fact !== '');
  const at = scheduledFor ?? againAt;
  if (facts.length === 0 && at === undefined && !reason) return null;
  return (
    <p className={layout.soft}>
      {facts.join(' · ')}
      {at !== undefined && (
        <>
          {facts.length > 0 && ' · '}
          {scheduledFor === undefined ? words.againAt : words.scheduledFor} <Time at={at} full />
        </>
      )}
      {reason && (
        <>
          <br />
          <ReasonText reason={reason} values={reasonValues} />
        </>
      )}
    </p>
  );
}

function Receipt({ receipt }: { readonly receipt: NonNullable<Entry['receipt']> }) {
  const words = useTimelineWords();
  return (
    <details className={styles.receipt}>
      <summary>{words.receipt}</summary>
      <pre className={`${styles.raw} ${layout.well}`}>{receipt.text}</pre>
      <table className={`${styles.fields} ${layout.ruled}`}>
        <thead>
          <tr>
            <th scope="col">{words.field}</th>
            <th scope="col">{words.value}</th>
            <th scope="col">{words.meaning}</th>
          </tr>
        </thead>
        <tbody>
          {receipt.fields.map(({ name, value, meaning }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <bdi>{value}</bdi>
              </td>
              <td>{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
