/** Delivery receipts that belong to no message, and the setting under which they would have matched. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useList, useRead } from '../api/queries.ts';
import { SelectField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { ResourcePage } from '../design/resource-page.tsx';
import { StatusBadge } from '../design/status-badge.tsx';
import { Time } from '../design/time.tsx';
import { useNumbers } from '../words/words.ts';
import { useNetworkWords } from './texts.ts';

const page = getRouteApi('/operator/receipts');
const live = { live: ['receipts'] };

export function ReceiptsPage() {
  const words = useNetworkWords();
  const { carrier } = page.useSearch();
  return (
    <ResourcePage
      title={words.receipts}
      lead={words.receiptsLead}
      above={<Counts carrier={carrier} />}
      list={useList('/api/v1/operator/receipts/unmatched', 'receipts', { ...(carrier && { carrier }) }, live)}
      keyOf={({ carrier, carrierMessageId, time, to, text }) =>
        [carrier, carrierMessageId, time, to, text].join(' ')
      }
      none={{ icon: 'check', title: words.noReceipts, text: words.noReceiptsText }}
      columns={[
        {
          title: words.carriersId,
          place: 'main',
          cell: ({ carrierMessageId = '–' }) => <bdi className={layout.wraps}>{carrierMessageId}</bdi>,
        },
        { title: words.carrier, place: 'below', width: '8rem', cell: ({ carrier }) => <bdi>{carrier}</bdi> },
        { title: words.to, width: '9.5rem', cell: ({ to }) => to && <PhoneNumber number={to} /> },
        {
          title: words.state,
          place: 'aside',
          width: '11rem',
          cell: ({ status }) => (status === undefined ? words.unreadable : <StatusBadge status={status} />),
        },
        {
          title: words.error,
          place: 'below',
          cell: ({ errorCode, text }) => <span className={layout.wraps}>{errorCode ?? text}</span>,
        },
        { title: words.came, place: 'below', width: '6.5rem', cell: ({ time }) => <Time at={time} /> },
      ]}
    />
  );
}

/** The server counts no further. */
const maxCounted = 1_000;

function Counts({ carrier: chosen }: { readonly carrier: string | undefined }) {
  const words = useNetworkWords();
  const number = useNumbers();
  const navigate = useNavigate({ from: '/operator/receipts' });
  const read = useRead('/api/v1/operator/receipts/unmatched/carriers', {}, live);
  const { carriers = [] } = read.data ?? {};
  const names = new Set([
    ...(chosen === undefined ? [] : [chosen]),
    ...carriers.map(({ carrier }) => carrier),
  ]);
  const countOf = (name: string) => {
    const { receipts = 0 } = carriers.find(({ carrier }) => carrier === name) ?? {};
    return receipts < maxCounted ? number(receipts) : words.orMore(number(receipts));
  };
  return (
    <div className={layout.stack}>
      <FaultNotice fault={read.error} tryAgain={() => void read.refetch()} />
      {names.size > 0 && (
        <div className={layout.narrow}>
          <SelectField
            label={words.carrier}
            value={chosen ?? ''}
            onChange={({ currentTarget: { value } }) =>
              void navigate({ search: value === '' ? {} : { carrier: value }, replace: true })
            }
          >
            <option value="">{words.allCarriers}</option>
            {[...names].map((name) => (
              <option key={name} value={name}>
                {name} ({countOf(name)})
              </option>
            ))}
          </SelectField>
        </div>
      )}
      {carriers.map(
        ({ carrier, messageId }) =>
          messageId && (
            <Notice key={carrier}>
              {words.advice(carrier, messageId.value, number(messageId.matching), number(messageId.of))}
            </Notice>
          ),
      )}
    </div>
  );
}
