/** Send this: recipients, a text, what it would do, and ten seconds to think again. */
import { type FormEvent, useCallback, useEffect, useState } from 'react';
import { newIdempotencyKey } from '../api/idempotency-key.ts';
import { useDraft } from '../browser/draft.ts';
import { AsCurl } from '../design/as-curl.tsx';
import { Button } from '../design/button.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { MessageField } from '../design/message-field.tsx';
import { Page } from '../design/page.tsx';
import { useSession } from '../session/session.ts';
import { hold, recallAttempt, useAttempt } from './attempt.ts';
import { beginPage } from './attempt-news.tsx';
import { AttemptPanel } from './attempt-panel.tsx';
import { BlankQuestion } from './blank-question.tsx';
import {
  blankDraft,
  type Draft,
  draftName,
  filled,
  isMadeOf,
  parametersOf,
  type SendParameters,
} from './draft.ts';
import { PreviewPanel, usePreview } from './preview-panel.tsx';
import { RecipientsField } from './recipients-field.tsx';
import { SendOptions } from './send-options.tsx';
import { SendToMyself } from './send-to-myself.tsx';
import { blankFields, TemplateFields, useTemplate } from './template-fields.tsx';
import { useComposeWords } from './texts.ts';

export function ComposePage() {
  const words = useComposeWords();
  const { username } = useSession();
  const [draft, setDraft, forget] = useDraft<Draft>(draftName(username), blankDraft);
  useRecalledAttempt(username);
  const attempt = useAttempt();
  useEffect(() => {
    if (attempt?.state === 'sent' && isMadeOf(attempt.parameters, draft)) forget(draft);
  }, [attempt, draft, forget]);
  useEffect(beginPage, []);
  const isOpen = attempt === undefined || attempt.state === 'refused';
  return (
    <Page title={words.title} lead={words.lead}>
      {attempt !== undefined && <AttemptPanel attempt={attempt} />}
      {attempt?.state !== 'sent' && <Form draft={draft} setDraft={setDraft} isOpen={isOpen} />}
    </Page>
  );
}

/** Before anything of the page is drawn: it shows what was left. */
function useRecalledAttempt(username: string): void {
  useState(() => recallAttempt(username));
}

function Form({
  draft,
  setDraft,
  isOpen,
}: {
  readonly draft: Draft;
  readonly setDraft: (next: (before: Draft) => Draft) => void;
  readonly isOpen: boolean;
}) {
  const words = useComposeWords();
  const [isTesting, setTesting] = useState(false);
  const change = useCallback(
    (some: Partial<Draft>) => setDraft((before) => ({ ...before, ...some })),
    [setDraft],
  );
  const template = useTemplate(draft).data;
  const text = draft.templateId === '' ? draft.message : filled(template?.text ?? '', draft.fields);
  const parameters = parametersOf(draft, text);
  const { send, question } = useSending(parameters, blankFields(draft, template?.fields ?? []));
  const isReady = draft.recipients.length > 0 && text !== '';
  const preview = usePreview(isReady ? parameters : undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && isOpen) send();
  };
  return (
    <>
      <form className={layout.columns} onSubmit={submit}>
        <fieldset className={`${layout.stack} ${layout.loose}`} disabled={!isOpen}>
          <legend className="unseen">{words.title}</legend>
          <RecipientsField draft={draft} change={change} />
          <TemplateFields draft={draft} change={change} />
          <MessageField
            label={draft.templateId === '' ? words.message : words.filledText}
            text={text}
            readOnly={draft.templateId !== ''}
            onChange={(message) => change({ message })}
          />
          <SendOptions draft={draft} change={change} defaultSender={preview.data?.pages[0]?.from} />
          <div className={layout.stack}>
            <Button type="submit" look="main" disabled={!isReady} icon={<Icon name="arrow" />}>
              {draft.at === '' ? words.send : words.schedule}
            </Button>
            <Button disabled={text === ''} icon={<Icon name="phone" />} onClick={() => setTesting(true)}>
              {words.toMyself}
            </Button>
          </div>
          <AsCurl call={{ method: 'POST', path: '/restsms/svcrest/send', parameters }} />
        </fieldset>
        <PreviewPanel preview={preview} />
      </form>
      {question}
      {isTesting && <SendToMyself parameters={parameters} close={() => setTesting(false)} />}
    </>
  );
}

/** Begins an attempt; where fields are blank, only after the question whether it is meant so. */
function useSending(parameters: SendParameters, blank: readonly string[]) {
  const [isAsking, setAsking] = useState(false);
  const begin = () => {
    setAsking(false);
    hold(withConversation(parameters));
  };
  return {
    send: blank.length > 0 ? () => setAsking(true) : begin,
    question: isAsking && <BlankQuestion blank={blank} close={() => setAsking(false)} send={begin} />,
  };
}

/** By which what became of it is found again, by its sender and in the log. */
function withConversation(parameters: SendParameters): SendParameters {
  return { ...parameters, conversation: `portal-${newIdempotencyKey().slice(0, 12)}` };
}
