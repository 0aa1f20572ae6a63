/**
 * Shows what sending would do, as the server reports it while the user types: who gets which text, at what cost, and
 * who gets nothing and why.
 */
import { useInfiniteQuery } from '@tanstack/react-query';
import { post } from '../api/client.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import type { Fault } from '../api/fault.ts';
import { useSettled } from '../browser/settled.ts';
import { Button } from '../design/button.tsx';
import { FaultText } from '../design/fault-text.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { Card } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { SkeletonRows } from '../design/skeleton-rows.tsx';
import { Time } from '../design/time.tsx';
import type { SendParameters } from './draft.ts';
import { useComposeWords } from './texts.ts';

export type Preview = AnswerOf<'POST', '/api/v1/send/preview'>;

const pageSize = 20;

/** With `undefined` parameters there is nothing to ask yet. */
export function usePreview(parameters: SendParameters | undefined) {
  const settled = useSettled(JSON.stringify(parameters ?? null));
  const asked = JSON.parse(settled) as SendParameters | null;
  return useInfiniteQuery<Preview, Fault>({
    queryKey: ['preview', settled],
    queryFn: ({ pageParam, signal }) =>
      post(
        '/api/v1/send/preview',
        { ...asked, limit: pageSize, after: pageParam as string | undefined },
        { signal },
      ),
    initialPageParam: undefined,
    getNextPageParam: ({ next }) => next,
    enabled: asked !== null,
    placeholderData: (before) => (asked === null ? undefined : before),
    refetchOnWindowFocus: false,
  });
}

export function PreviewPanel({ preview }: { readonly preview: ReturnType<typeof usePreview> }) {
  const words = useComposeWords();
  const { data, error, isLoading, hasNextPage, fetchNextPage, isFetchingNextPage } = preview;
  return (
    <Card className={`${layout.stack} ${layout.above}`}>
      <h2>{words.preview}</h2>
      {error !== null && <FaultNotice fault={error} tryAgain={() => void preview.refetch()} />}
      {isLoading && <SkeletonRows count={3} />}
      {data === undefined && error === null && !isLoading && (
        <p className={layout.soft}>{words.previewEmpty}</p>
      )}
      {data !== undefined && error === null && (
        <>
          <Summary first={data.pages[0] as Preview} />
          <ul className={layout.stack} aria-label={words.recipients}>
            {data.pages.flatMap((page) =>
              page.recipients.map((one, place) => (
                <Previewed
                  key={one.to}
                  one={one}
                  text={one.text === page.recipients[place - 1]?.text ? undefined : textOf(one, page)}
                  way={isSameWay(one, page.recipients[place - 1]) ? undefined : one}
                />
              )),
            )}
          </ul>
          {hasNextPage && (
            <Button small busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {words.showMore}
            </Button>
          )}
        </>
      )}
    </Card>
  );
}

function Summary({ first }: { readonly first: Preview }) {
  const words = useComposeWords();
  const { accepted, rejected, parts, quotaLeft, refusal, from, scheduled } = first;
  return (
    <>
      <p className={layout.large} role="status">
        <strong>{words.people(accepted)}</strong> · <strong>{words.partsInAll(parts)}</strong>
        {quotaLeft !== undefined && <span className={layout.soft}> · {words.quotaLeft(quotaLeft)}</span>}
      </p>
      <p className={layout.soft}>
        {from === undefined ? words.fromPool : words.fromSender(from)}
        {scheduled !== undefined && (
          <>
            {', '}
            <Time at={scheduled} full />
          </>
        )}
      </p>
      {refusal !== undefined && (
        <Notice tone="error">
          <FaultText fault={refusal} />
        </Notice>
      )}
      {rejected > 0 && <Notice tone="warning">{words.rejected(rejected)}</Notice>}
    </>
  );
}

type Recipient = Preview['recipients'][number];

function textOf({ text }: Recipient, { texts }: Preview): string | undefined {
  return text === undefined ? undefined : texts[text]?.message;
}

function isSameWay(one: Recipient, before: Recipient | undefined): boolean {
  return one.carrier === before?.carrier && one.from === before?.from;
}

/** `text` and `way` are given only if they differ from those of the previous recipient. */
function Previewed({
  one,
  text,
  way,
}: {
  readonly one: Recipient;
  readonly text: string | undefined;
  readonly way: Recipient | undefined;
}) {
  const words = useComposeWords();
  const { to, name, error } = one;
  return (
    <li className={`${layout.stack} ${layout.tight}`} data-wrong={error !== undefined || undefined}>
      {text !== undefined && <p className={layout.sms}>{text}</p>}
      <p className={`${layout.row} ${layout.level}`}>
        {name !== undefined && <strong>{name}</strong>}
        {error === undefined ? <PhoneNumber number={to} /> : <span>{to}</span>}
        {way?.carrier !== undefined && (
          <span className={layout.soft}>{words.way(way.from ?? '', way.carrier)}</span>
        )}
      </p>
      {error !== undefined && (
        <p className={layout.soft} data-tone="failed">
          <FaultText fault={{ ...one, error }} />
        </p>
      )}
    </li>
  );
}
