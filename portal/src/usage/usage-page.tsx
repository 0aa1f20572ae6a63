/** The usage page: what was sent, as bars by month with a table beside them, and what is left of quotas and limits. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { fileAddress } from '../api/client.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import { useRead } from '../api/queries.ts';
import { Answered } from '../design/answered.tsx';
import { DownloadLink } from '../design/download-link.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Choice } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { Notice } from '../design/notice.tsx';
import { Page } from '../design/page.tsx';
import { useCostCenters } from '../sending/cost-centers.tsx';
import { language } from '../words/language.ts';
import { now } from '../words/times.ts';
import { useNumbers } from '../words/words.ts';
import { Bars, monthTitle } from './bars.tsx';
import { Left } from './quota.tsx';
import { useUsageWords } from './texts.ts';
import styles from './usage.module.css';
import { groups, periods, type UsageView } from './view.ts';

const route = getRouteApi('/usage');

type Usage = AnswerOf<'GET', '/api/v1/usage'>;
type Group = (typeof groups)[number];

export function UsagePage() {
  const words = useUsageWords();
  const { months = 12, by = 'month' }: UsageView = route.useSearch();
  const navigate = useNavigate({ from: '/usage' });
  const change = (changes: UsageView) =>
    void navigate({ search: (before: UsageView) => ({ ...before, ...changes }), replace: true });
  const today = now();
  const parameters = { from: monthFrom(today, 1 - months), to: monthFrom(today, 0), by };
  const read = useRead('/api/v1/usage', parameters, {
    live: ['messages', 'batches'],
    keepsPrevious: true,
  });
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        read.data !== undefined &&
        read.data.usage.length > 0 && (
          <DownloadLink
            href={fileAddress('/api/v1/usage.csv', { ...parameters, language })}
            label={words.csvLabel}
          >
            {words.csv}
          </DownloadLink>
        )
      }
    >
      <div className={`${layout.row} ${layout.above}`}>
        <Choice
          hideLabel
          label={words.by}
          value={by}
          options={groups.map((one) => [one, words.groups[one]])}
          onChange={(one) => change({ by: one })}
        />
        <Choice
          hideLabel
          label={words.period}
          value={String(months) as '12' | '6' | '3' | '1'}
          options={periods.map((one) => [String(one) as '12', words.periods[one]])}
          onChange={(one) => change({ months: Number(one) as 12 })}
        />
      </div>
      <Answered read={read}>{(usage) => <Sums usage={usage} />}</Answered>
      <Left />
    </Page>
  );
}

/** Shows one answer by what it is itself, since the answer to the previous choice stays until the next one arrives. */
function Sums({ usage: { usage, more, from, to } }: { readonly usage: Usage }) {
  const words = useUsageWords();
  const by = groups.find((one) => usage[0]?.[one] !== undefined) ?? 'month';
  const months = monthsBetween(from, to);
  const written = useNumbers();
  if (usage.length === 0)
    return (
      <EmptyState icon="usage" title={words.none}>
        {months.length < periods[0] ? words.noneText : words.noneInAll}
      </EmptyState>
    );
  const byMonth = months.map(
    (month) => usage.find((sum) => sum.month === month) ?? { month, messages: 0, parts: 0 },
  );
  const simulated = usage.reduce((all, sum) => all + (sum.simulated ?? 0), 0);
  return (
    <div className={layout.stack}>
      <div className={by === 'month' ? layout.columns : ''}>
        {by === 'month' && <Bars sums={byMonth} label={words.chart} />}
        <Table sums={by === 'month' ? byMonth : usage} by={by} />
      </div>
      {simulated > 0 && <Notice>{words.simulated(written(simulated))}</Notice>}
      {more && <Notice>{words.cutOff}</Notice>}
    </div>
  );
}

function Table({ sums, by }: { readonly sums: Usage['usage']; readonly by: Group }) {
  const words = useUsageWords();
  const costCenters = useCostCenters();
  const written = useNumbers();
  const name = (sum: Usage['usage'][number]) => {
    if (by === 'month') return monthTitle(sum.month ?? '', 'long');
    if (by === 'username') return sum.username;
    const { costCenter = '' } = sum;
    const named = costCenters.find(({ code }) => code === costCenter);
    return named === undefined ? costCenter || words.noCostCenter : `${named.name} (${costCenter})`;
  };
  const total = (of: 'messages' | 'parts') => written(sums.reduce((all, sum) => all + sum[of], 0));
  return (
    <table className={`${styles.table} ${layout.ruled}`}>
      <thead>
        <tr>
          <th scope="col">{words.groups[by]}</th>
          <th scope="col">{words.messages}</th>
          <th scope="col">{words.parts}</th>
        </tr>
      </thead>
      <tbody>
        {sums.map((sum, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two users who are gone may have had the same name.
          <tr key={place}>
            <th scope="row">
              <bdi>{name(sum)}</bdi>
            </th>
            <td>{written(sum.messages)}</td>
            <td>{written(sum.parts)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{words.total}</th>
          <td>{total('messages')}</td>
          <td>{total('parts')}</td>
        </tr>
      </tfoot>
    </table>
  );
}

/** A month as the API writes it, so many months before or after that of `at`. */
function monthFrom(at: Date, count: number): string {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + count, 1)).toISOString().slice(0, 7);
}

function monthsBetween(from: string, to: string): readonly string[] {
  const first = new Date(`${from}-01T00:00:00Z`);
  const all = Array.from({ length: periods[0] }, (_, index) => monthFrom(first, index));
  return all.filter((month) => month <= to);
}
