/** One webhook: how it does, its settings, its secret, its attempts, and posting again. */

import { useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useAct, useRead } from '../api/queries.ts';
import { Answered } from '../design/answered.tsx';
import { CopyButton } from '../design/as-curl.tsx';
import { BackLink, Button } from '../design/button.tsx';
import { ConfirmButton, Removal } from '../design/confirm-dialog.tsx';
import { Facts } from '../design/facts.tsx';
import { ReasonText } from '../design/fault-text.tsx';
import layout from '../design/layout.module.css';
import { ManagedMark } from '../design/managed-mark.tsx';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { Card, Page, Section } from '../design/page.tsx';
import { SecretOnce } from '../design/secret-once.tsx';
import { Time } from '../design/time.tsx';
import { showFault, showToast } from '../design/toasts.tsx';
import { useSession } from '../session/session.ts';
import { useNumbers } from '../words/words.ts';
import { Attempts, attemptsPath, Code, Replay } from './attempts.tsx';
import { Settings, type Webhook } from './settings-form.tsx';
import { useWebhookWords } from './texts.ts';
import { LastDay, State, useWebhookPath } from './webhooks-page.tsx';

const path = '/api/v1/webhooks/{id}';

interface Of {
  readonly webhook: Webhook;
}

export function WebhookPage() {
  const words = useWebhookWords();
  const { id = '' } = useParams({ strict: false });
  const read = useRead(path, { id }, { live: ['webhooks'] });
  return (
    <Page
      title={read.data?.name ?? words.title}
      back={<BackLink to={useWebhookPath()}>{words.back}</BackLink>}
      actions={read.data !== undefined && <Switch webhook={read.data} />}
    >
      <Answered read={read}>{(webhook) => <One key={webhook.id} webhook={webhook} />}</Answered>
    </Page>
  );
}

function One({ webhook }: Of) {
  const words = useWebhookWords();
  const { id, kind, url, events } = webhook;
  const [tested, setTested] = useState<number>();
  const base = useWebhookPath();
  const isWebhook = kind === 'webhook';
  return (
    <div className={`${layout.stack} ${layout.loose}`}>
      {!isWebhook && <Notice>{words[`${kind}Text`]}</Notice>}
      <Progress webhook={webhook} />
      <Test webhook={webhook} tested={setTested} />
      {tested !== undefined && <TestOutcome key={tested} id={id} seq={tested} />}
      <div className={layout.columns}>
        <Section title={words.settings}>
          {isWebhook ? (
            <Settings webhook={webhook} />
          ) : (
            <Facts
              facts={[
                [words.url, url],
                [words.events, events.map((type) => words.eventWords[type]).join(', ')],
              ]}
            />
          )}
        </Section>
        <div>
          <Secret webhook={webhook} />
          <Replay id={id} />
        </div>
      </div>
      <Attempts id={id} />
      {kind !== 'callback' && webhook.managedKeys.length === 0 && (
        <Removal
          path={path}
          parameters={{ id }}
          label={words.remove}
          title={`${words.remove}: ${webhook.name}`}
          question={words.removeSure}
          removed={words.removed(webhook.name)}
          next={{ to: base }}
        />
      )}
    </div>
  );
}

function Progress({ webhook }: Of) {
  const words = useWebhookWords();
  const written = useNumbers();
  const { failingSince, disabledSince = failingSince, disabledWhy, replay, lastDay } = webhook;
  const some = (count: number) => count > 0 && written(count);
  return (
    <Card>
      <Facts
        facts={[
          [
            words.state,
            <span key="state" className={layout.row}>
              <State state={webhook.state} disabledWhy={disabledWhy} />
              {disabledSince !== undefined && (
                <span>
                  {words.since} <Time at={disabledSince} />
                </span>
              )}
            </span>,
          ],
          [words.lastDay, <LastDay key="day" lastDay={lastDay} />],
          [words.waiting, written(webhook.backlog)],
          [words.retries, some(webhook.retries)],
          [words.givenUp, some(webhook.givenUp)],
          [words.lost, some(webhook.lost)],
          [words.replaying, replay && words.replayingEvents(replay.next, replay.last)],
        ]}
      />
      {disabledWhy !== undefined && <p>{words.reasons[disabledWhy]}</p>}
    </Card>
  );
}

function Switch({ webhook: { id, state } }: Of) {
  const words = useWebhookWords();
  const enable = useAct('/api/v1/webhooks/{id}/enable');
  const disable = useAct('/api/v1/webhooks/{id}/disable');
  const isOff = state === 'disabled';
  return (
    <>
      {(isOff || state === 'failing') && (
        <Button
          look="main"
          busy={enable.isPending}
          onClick={() =>
            enable.mutate(
              { parameters: { id } },
              { onSuccess: () => showToast({ text: words.enabled }), onError: showFault },
            )
          }
        >
          {isOff ? words.enable : words.postNow}
        </Button>
      )}
      {!isOff && (
        <ConfirmButton
          look="plain"
          label={words.disable}
          question={words.disableSure}
          act={disable}
          parameters={{ id }}
          done={() => showToast({ text: words.disabled })}
        />
      )}
    </>
  );
}

function Test({ webhook: { id, state }, tested }: Of & { readonly tested: (seq: number) => void }) {
  const words = useWebhookWords();
  const act = useAct('/api/v1/webhooks/{id}/test');
  if (state === 'disabled' || state === 'inactive') return null;
  return (
    <>
      <Button
        className={layout.start}
        busy={act.isPending}
        onClick={() => act.mutate({ parameters: { id } }, { onSuccess: ({ seq }) => tested(seq) })}
      >
        {words.test}
      </Button>
      <FaultNotice fault={act.error} />
    </>
  );
}

const pollMs = 1_000;
const polls = 20;

/** Looks for the attempt that posted the test, for a while. */
function TestOutcome({ id, seq }: { readonly id: string; readonly seq: number }) {
  const words = useWebhookWords();
  const client = useQueryClient();
  const [looked, setLooked] = useState(0);
  const { data } = useRead(attemptsPath, { id, limit: 20 });
  const attempt = data?.attempts.find(({ firstSeq, events }) => firstSeq <= seq && seq < firstSeq + events);
  const isFound = attempt !== undefined;
  useEffect(() => {
    // The state of the webhook may have changed with the attempt.
    if (isFound) void client.invalidateQueries();
    if (isFound || looked >= polls) return;
    const timer = window.setTimeout(() => {
      setLooked(looked + 1);
      void client.invalidateQueries({ queryKey: [attemptsPath] });
    }, pollMs);
    return () => window.clearTimeout(timer);
  }, [client, isFound, looked]);
  if (attempt === undefined)
    return (
      <p role="status" className={layout.soft}>
        {looked < polls ? words.testing : words.testWaits}
      </p>
    );
  const { statusCode, error, errorValues, milliseconds } = attempt;
  if (statusCode !== undefined && statusCode >= 200 && statusCode < 300)
    return (
      <div role="status">
        <Notice tone="good">{words.testWorked(statusCode, milliseconds)}</Notice>
      </div>
    );
  return (
    <Notice tone="error">
      {words.testFailed}{' '}
      {error === undefined ? `HTTP ${statusCode}` : <ReasonText reason={error} values={errorValues} />}
    </Notice>
  );
}

/** The receiver of the documentation (webhooks.md). */
const sample = `import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
const key = Buffer.from(process.env.SECRET.replace('whsec_', ''), 'base64');
createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': given = '' } = request.headers;
  const wanted = createHmac('sha256', key).update(\`\${id}.\${time}.\${body}\`).digest();
  const isRight = given.split(' ').map((one) => Buffer.from(one.slice(3), 'base64'))
    .some((one) => one.length === wanted.length && timingSafeEqual(one, wanted));
  const isNew = Math.abs(Date.now() / 1000 - Number(time)) < 300;
  response.writeHead(isRight && isNew ? 204 : 401).end();
  if (isRight && isNew) console.log(body);
}).listen(9000, '127.0.0.1');`;

function Secret({ webhook: { id, name, username, kind, secrets, managed, managedKeys } }: Of) {
  const words = useWebhookWords();
  const { username: own } = useSession();
  const ofCalls = kind === 'callbackUrl';
  const rotateOne = useAct('/api/v1/webhooks/{id}/rotate');
  const finishOne = useAct('/api/v1/webhooks/{id}/finish-rotation');
  const rotateAll = useAct('/api/v1/webhooks/callback-secret/rotate');
  const finishAll = useAct('/api/v1/webhooks/callback-secret/finish-rotation');
  const rotate = ofCalls ? rotateAll : rotateOne;
  const finish = ofCalls ? finishAll : finishOne;
  const parameters = ofCalls ? {} : { id };
  const [secret, setSecret] = useState<string>();
  const isManaged = kind === 'callback' ? managed : managedKeys.includes('secrets');
  return (
    <Section title={words.signing}>
      <div className={layout.stack}>
        <p>{secrets === 0 ? words.unsigned : words.signed}</p>
        {isManaged && <ManagedMark name="secrets" />}
        {ofCalls && <p className={layout.soft}>{words.callbackUrlSecret}</p>}
        {secrets > 1 && <Notice tone="warning">{words.twoSecrets}</Notice>}
        {!isManaged && (!ofCalls || username === own) && (
          <div className={layout.row}>
            {secrets > 1 && (
              <ConfirmButton
                look="main"
                label={words.finish}
                question={words.finishSure}
                act={finish}
                parameters={parameters}
                done={() => showToast({ text: words.finished })}
              />
            )}
            <ConfirmButton
              look="plain"
              label={words.rotate}
              question={words.rotateSure}
              act={rotate}
              parameters={parameters}
              done={(answer) => setSecret(answer.secret)}
            />
          </div>
        )}
        <details>
          <summary className={layout.soft}>{words.sample}</summary>
          <div className={layout.stack}>
            <p className={layout.soft}>{words.sampleText}</p>
            <Code label={words.sample} text={sample} />
            <CopyButton text={sample} />
          </div>
        </details>
      </div>
      {secret !== undefined && (
        <SecretOnce title={words.secretTitle(name)} secret={secret} close={() => setSecret(undefined)}>
          {words.secretText}
        </SecretOnce>
      )}
    </Section>
  );
}
