/** What failed of a batch, with why, and as a file. */
import { pathPrefix } from '../api/client.ts';
import { useList } from '../api/queries.ts';
import { CursorList } from '../design/cursor-list.tsx';
import { DownloadLink } from '../design/download-link.tsx';
import layout from '../design/layout.module.css';
import { Section } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { SkeletonRows } from '../design/skeleton-rows.tsx';
import { StatusBadge } from '../design/status-badge.tsx';
import { useLanguage } from '../words/language.ts';
import { useBatchWords } from './texts.ts';

export function FailedMessages({ id }: { readonly id: string }) {
  const words = useBatchWords();
  const list = useList(
    '/api/v1/batches/{id}/failed',
    'failed',
    { id, language: useLanguage() },
    { live: ['batches', 'messages'] },
  );
  const download = (
    <DownloadLink href={`${pathPrefix}/api/v1/batches/${id}/failed/csv`}>{words.download}</DownloadLink>
  );
  return (
    <Section title={words.failed} actions={download}>
      <CursorList
        label={words.failed}
        list={list}
        keyOf={(message) => message.id}
        // It is shown where something has failed; the first of it may come a moment later.
        empty={<SkeletonRows count={1} />}
        columns={[
          { title: words.to, width: '12rem', place: 'main', cell: ({ to }) => <PhoneNumber number={to} /> },
          {
            title: words.status,
            width: '12rem',
            place: 'aside',
            cell: ({ status, simulated }) => <StatusBadge status={status} simulated={simulated} />,
          },
          {
            title: words.why,
            place: 'below',
            cell: ({ why, todo }) => (
              <span className={layout.wraps}>
                {why} {todo}
              </span>
            ),
          },
        ]}
      />
    </Section>
  );
}
