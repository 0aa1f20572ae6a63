/** The compose page: recipients, a text, what sending would do, and ten seconds to reconsider. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useCallback, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { newIdempotencyKey } from '../api/client.ts';
import { useAct, useList, useRead } from '../api/queries.ts';
import { useDraft } from '../browser/draft.ts';
import { keep, kept } from '../browser/kept.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { AsCurl } from '../design/as-curl.tsx';
import { Button } from '../design/button.tsx';
import { ConfirmDialog } from '../design/confirm-dialog.tsx';
import { Dialog } from '../design/dialog.tsx';
import { SelectField, TextField } from '../design/field.tsx';
import { Icon } from '../design/icons.tsx';
import layout from '../design/layout.module.css';
import { MessageField } from '../design/message-field.tsx';
import { Page } from '../design/page.tsx';
import { showToast } from '../design/toasts.tsx';
import { joined, type Recipient } from '../sending/recipient.ts';
import { RecipientsField } from '../sending/recipients-field.tsx';
import { useSession } from '../session/session.ts';
import { sendAttempts } from './attempt.ts';
import { AttemptPanel, beginPage } from './attempt-panel.tsx';
import styles from './compose.module.css';
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
import { SendOptions } from './send-options.tsx';
import { SilentPeople } from './silent-people.tsx';
import { useComposeWords } from './texts.ts';

const route = getRouteApi('/send');

export function ComposePage() {
  const words = useComposeWords();
  const { username } = useSession();
  const [draft, setDraft, forget] = useDraft<Draft>(draftName(username), blankDraft);
  useRecalledAttempt(username);
  const attempt = sendAttempts.use();
  useEffect(() => {
    if (attempt?.state === 'sent' && isMadeOf(attempt.parameters, draft)) forget(draft);
  }, [attempt, draft, forget]);
  useEffect(beginPage, []);
  const isOpen = attempt === undefined || attempt.state === 'refused';
  useAddressed(isOpen, setDraft);
  return (
    <Page title={words.title} lead={words.lead}>
      {attempt !== undefined && <AttemptPanel attempt={attempt} />}
      {isOpen && <SilentPeople draft={draft} setDraft={setDraft} />}
      {attempt?.state !== 'sent' && <Form draft={draft} setDraft={setDraft} isOpen={isOpen} />}
    </Page>
  );
}

/** Whom a link to the page has named: a number, perhaps with its name, or a group of the user's own address book. */
export interface Addressed {
  readonly to?: string;
  readonly name?: string;
  readonly group?: string;
}

/** Adds them to the recipients, once: a page that is loaded again does not bring back somebody who was taken out. */
function useAddressed(isOpen: boolean, setDraft: (next: (before: Draft) => Draft) => void): void {
  const { to, name, group }: Addressed = route.useSearch();
  const navigate = useNavigate({ from: '/send' });
  useEffect(() => {
    const named: readonly Recipient[] = [
      ...(to === undefined
        ? []
        : [{ kind: 'number' as const, value: to, ...(name !== undefined && { name }) }]),
      ...(group === undefined ? [] : [{ kind: 'group' as const, value: group }]),
    ];
    if (!isOpen || named.length === 0) return;
    setDraft((before) => ({ ...before, recipients: joined(before.recipients, named, before.countryCode) }));
    void navigate({ search: {}, replace: true });
  }, [isOpen, to, name, group, setDraft, navigate]);
}

/** Recalls the attempt before any part of the page is rendered, because the page shows what was left unfinished. */
function useRecalledAttempt(username: string): void {
  useState(() => sendAttempts.recall(username));
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

/** Begins an attempt. If fields are blank, asks first whether that is intended. */
function useSending(parameters: SendParameters, blank: readonly string[]) {
  const [isAsking, setAsking] = useState(false);
  const begin = () => {
    setAsking(false);
    sendAttempts.hold(withConversation(parameters));
  };
  // The dialog gives the focus back as it closes; then the first empty field takes it.
  const fillIn = () => {
    flushSync(() => setAsking(false));
    const fields = document.querySelectorAll<HTMLInputElement>('[data-template-field]');
    [...fields].find(({ value }) => value.trim() === '')?.focus();
  };
  return {
    send: blank.length > 0 ? () => setAsking(true) : begin,
    question: isAsking && <BlankQuestion blank={blank} close={fillIn} send={begin} />,
  };
}

/** Adds a conversation, by which the sender can find the outcome again, in the log too. */
function withConversation(parameters: SendParameters): SendParameters {
  return { ...parameters, conversation: `portal-${newIdempotencyKey().slice(0, 12)}` };
}

interface QuestionProps {
  /** Labels of the blank fields. */
  readonly blank: readonly string[];
  readonly close: () => void;
  readonly send: () => void;
}

/** Asks before a text with blank fields is sent, because they can't be filled in afterwards. */
function BlankQuestion({ blank, close, send }: QuestionProps) {
  const words = useComposeWords();
  return (
    <ConfirmDialog
      title={words.blankTitle}
      label={words.sendBlank}
      cancel={words.fillIn}
      look="plain"
      confirm={send}
      close={close}
    >
      <p>{words.blankText(blank.length)}</p>
      <ul className={`${styles.blankFields} ${layout.scrolls}`}>
        {blank.map((label) => (
          <li key={label}>
            <bdi>{label}</bdi>
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}

interface FormPart {
  readonly draft: Draft;
  readonly change: (some: Partial<Draft>) => void;
}

/** Maximum number of templates listed; the others can be found on the templates page. */
const most = 200;

/** Returns the labels of the empty fields. */
function blankFields(draft: Draft, fields: readonly { readonly label: string }[]): readonly string[] {
  return fields.map(({ label }) => label).filter((label) => (draft.fields[label] ?? '').trim() === '');
}

function useTemplate({ templateId }: Draft) {
  return useRead('/api/v1/templates/{id}', { id: templateId }, { enabled: templateId !== '' });
}

/** A saved text used instead of a typed one: the choice of the text, and its placeholders as form fields. */
function TemplateFields({ draft, change }: FormPart) {
  const words = useComposeWords();
  const { items } = useList('/api/v1/templates', 'templates', { limit: most });
  const { data: template, error } = useTemplate(draft);
  if (items.length === 0 && draft.templateId === '') return null;
  return (
    <>
      <SelectField
        label={words.template}
        value={draft.templateId}
        error={draft.templateId === '' ? undefined : error}
        onChange={(event) => change({ templateId: event.target.value, fields: {} })}
      >
        <option value="">{words.ownText}</option>
        {items.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      {draft.templateId !== '' &&
        template?.fields.map(({ label, description, kind }) => (
          <TextField
            key={label}
            data-template-field=""
            label={label}
            hint={description ?? (kind === 'datetime' ? words.dateTimeHint : undefined)}
            value={draft.fields[label] ?? ''}
            onChange={(event) => change({ fields: { ...draft.fields, [label]: event.target.value } })}
          />
        ))}
    </>
  );
}

/** Sends the text to its writer, who can see it on a phone before others get it. */
function SendToMyself({
  parameters,
  close,
}: {
  readonly parameters: SendParameters;
  readonly close: () => void;
}) {
  const words = useComposeWords();
  // The key is the same for every try in this dialog, so that a lost answer does not cause a second message.
  const [idempotencyKey] = useState(newIdempotencyKey);
  const act = useAct('/api/v1/send');
  const form = formOf(act, useState({ number: kept('own-number') ?? '' }));
  const { number } = form.values;
  const { message, from, flash, defaultcountrycode } = parameters;
  const send = () => {
    keep('own-number', number);
    act.mutate(
      { parameters: { to: [number], message, from, flash, defaultcountrycode }, idempotencyKey },
      {
        onSuccess: () => {
          showToast({ text: words.sentToMyself });
          close();
        },
      },
    );
  };
  return (
    <Dialog title={words.toMyself} close={close}>
      <ActForm form={form} submit={send} label={words.send} close={close}>
        <TextField
          label={words.ownNumber}
          hint={words.ownNumberHint}
          type="tel"
          autoFocus
          required
          {...form.field('number')}
        />
      </ActForm>
    </Dialog>
  );
}
