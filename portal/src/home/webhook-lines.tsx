/** Webhooks whose receivers do not accept what is posted, with the outcome of the last attempt. */

import type { AnswerOf } from '../api/endpoints.ts';
import { useAct } from '../api/queries.ts';
import { Button } from '../design/button.tsx';
import { ReasonText } from '../design/fault-text.tsx';
import { FaultNotice } from '../design/notice.tsx';
import { Time } from '../design/time.tsx';
import { showToast } from '../design/toasts.tsx';
import type { Line, Source } from './lines.tsx';
import { useStart } from './start.ts';
import { useHomeWords } from './texts.ts';

type Webhook = AnswerOf<'GET', '/api/v1/webhooks'>['webhooks'][number];
type Attempt = AnswerOf<'GET', '/api/v1/webhooks/{id}/attempts'>['attempts'][number];

export function useWebhookLines(): Source {
  const words = useHomeWords();
  const { data } = useStart();
  const needs = (data?.webhooks.webhooks ?? []).map(
    (webhook, place): Line => ({
      key: `webhook ${webhook.id}`,
      tone: 'failed',
      icon: 'stop',
      title: words.webhook[webhook.disabledSince === undefined ? 'failing' : 'disabled'](webhook.name),
      detail: <Why webhook={webhook} last={data?.attempts[place]?.attempts[0]} />,
      act: <PostAgain webhook={webhook} />,
    }),
  );
  return { needs, queries: [] };
}

function Why({
  webhook: { failingSince, disabledSince = failingSince, disabledWhy },
  last,
}: {
  readonly webhook: Webhook;
  readonly last: Attempt | undefined;
}) {
  const words = useHomeWords();
  return (
    <>
      {disabledSince !== undefined && (
        <>
          {words.since} <Time at={disabledSince} />
        </>
      )}
      {disabledWhy === 'gone' && ` · ${words.gone}`}
      {disabledWhy === 'failures' && ` · ${words.failures}`}
      {last?.statusCode !== undefined && disabledWhy !== 'gone' && ` · HTTP ${last.statusCode}`}
      {last?.error !== undefined && (
        <>
          {' · '}
          <ReasonText reason={last.error} values={last.errorValues} />
        </>
      )}
    </>
  );
}

function PostAgain({ webhook: { id, disabledSince } }: { readonly webhook: Webhook }) {
  const words = useHomeWords();
  const { mutate, isPending, error, reset } = useAct('/api/v1/webhooks/{id}/enable');
  if (error !== null) return <FaultNotice fault={error} tryAgain={reset} />;
  const onSuccess = () => showToast({ text: words.posting });
  return (
    <Button busy={isPending} onClick={() => mutate({ parameters: { id: Number(id) } }, { onSuccess })}>
      {disabledSince === undefined ? words.postNow : words.enable}
    </Button>
  );
}
