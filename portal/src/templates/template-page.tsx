/** One saved text: written with its parts counted, tried out, and compared with what it was. */
import { useNavigate, useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { AnswerOf } from '../api/endpoints.ts';
import { useAct, useChange, useRead, useRemoval } from '../api/queries.ts';
import { useDraft } from '../browser/draft.ts';
import { AsCurl } from '../design/as-curl.tsx';
import { BackLink, Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { MessageField } from '../design/message-field.tsx';
import { FaultNotice, Notice } from '../design/notice.tsx';
import { Page } from '../design/page.tsx';
import { SkeletonRows } from '../design/skeleton-rows.tsx';
import { showToast } from '../design/toasts.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import styles from './templates.module.css';
import { useTemplateWords } from './texts.ts';
import { Trial } from './trial.tsx';
import { Versions } from './versions.tsx';

type Template = AnswerOf<'GET', '/api/v1/templates/{id}'>;

/** What is being written, and the version that it began with. */
interface Writing {
  readonly name: string;
  readonly text: string;
  readonly version: string;
}

const blank: Writing = { name: '', text: '', version: '' };

export function NewTemplatePage() {
  const words = useTemplateWords();
  const navigate = useNavigate();
  const { username } = useSession();
  const [writing, write, forget] = useDraft<Writing>(`template.new.${username}`, blank);
  const act = useAct('/api/v1/templates');
  const { name, text } = writing;
  const save = () =>
    act.mutate(
      { parameters: { name, text } },
      {
        onSuccess: ({ id }, isShown) => {
          forget(writing);
          showToast({ text: words.made });
          if (isShown) void navigate({ to: '/templates/$id', params: { id } });
        },
      },
    );
  return (
    <Page title={words.make} back={<Back />}>
      <Editor
        writing={writing}
        write={write}
        path="/api/v1/templates"
        fault={act.error}
        save={save}
        busy={act.isPending}
      />
    </Page>
  );
}

export function TemplatePage() {
  const { id } = useParams({ strict: false });
  const { data, error } = useRead('/api/v1/templates/{id}', { id: id ?? '' });
  const words = useTemplateWords();
  return (
    <Page title={data?.name ?? words.title} back={<Back />}>
      {data === undefined && error !== null && <FaultNotice fault={error} />}
      {data === undefined && error === null && <SkeletonRows />}
      {data !== undefined && <Edited key={data.id} template={data} />}
    </Page>
  );
}

function Back() {
  return <BackLink to="/templates">{useTemplateWords().back}</BackLink>;
}

function Edited({ template }: { readonly template: Template }) {
  const words = useTemplateWords();
  const session = useSession();
  const { id, name, text, version } = template;
  const unchanged = { name, text, version };
  const [draft, write, forget] = useDraft<Writing | null>(`template.${id}.${session.username}`, null);
  const writing = draft ?? unchanged;
  const act = useChange('/api/v1/templates/{id}');
  const save = (over?: string) =>
    act.mutate(
      { parameters: { id, name: writing.name, text: writing.text }, version: over ?? writing.version },
      {
        onSuccess: () => {
          forget(draft);
          showToast({ text: words.saved });
        },
      },
    );
  const mayChange = hasOneOf(session, ['companyAdmin']) && !template.managed;
  const isBehind = draft !== null && draft.version !== version;
  return (
    <>
      {template.managed && <Notice>{words.managedText}</Notice>}
      {!template.managed && !mayChange && <Notice>{words.onlyAdministrators}</Notice>}
      {isBehind && (
        <Notice
          tone="warning"
          action={
            <div className={layout.row}>
              <Button small onClick={() => forget()}>
                {words.theirs}
              </Button>
              <Button small onClick={() => save(version)}>
                {words.mine}
              </Button>
            </div>
          }
        >
          {words.meanwhile}
        </Notice>
      )}
      <Editor
        writing={writing}
        write={(change) => write((before) => change(before ?? unchanged))}
        path="/api/v1/templates/{id}"
        id={id}
        fault={act.error}
        save={() => save()}
        busy={act.isPending}
        readOnly={!mayChange}
      />
      <Versions
        id={id}
        text={text}
        restore={mayChange ? (old) => write({ ...writing, text: old }) : undefined}
      />
      {mayChange && <Removal template={template} />}
    </>
  );
}

function Editor({
  writing,
  write,
  path,
  id,
  fault,
  save,
  busy,
  readOnly = false,
}: {
  readonly writing: Writing;
  readonly write: (change: (before: Writing) => Writing) => void;
  readonly path: string;
  readonly id?: string;
  readonly fault: ReturnType<typeof useAct<'/api/v1/templates'>>['error'];
  readonly save: () => void;
  readonly busy: boolean;
  readonly readOnly?: boolean;
}) {
  const words = useTemplateWords();
  const { username } = useSession();
  const { name, text, version } = writing;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!busy) save();
  };
  return (
    <div className={`${layout.columns} ${styles.columns}`}>
      <form className={styles.form} onSubmit={submit}>
        <TextField
          label={words.name}
          required
          maxLength={100}
          value={name}
          readOnly={readOnly || busy}
          error={fault?.of('name')}
          onChange={(event) => write((before) => ({ ...before, name: event.target.value }))}
        />
        <MessageField
          label={words.text}
          hint={words.textHint}
          error={fault?.of('text')}
          text={text}
          readOnly={readOnly || busy}
          onChange={(changed) => write((before) => ({ ...before, text: changed }))}
        />
        {fault !== null && fault.fields.length === 0 && <FaultNotice fault={fault} />}
        {!readOnly && (
          <>
            <Button type="submit" look="main" busy={busy} className={styles.save}>
              {words.save}
            </Button>
            <AsCurl
              call={{
                method: id === undefined ? 'POST' : 'PATCH',
                path,
                parameters: { id, name, text },
                version,
              }}
              username={username}
            />
          </>
        )}
      </form>
      <Trial text={text} />
    </div>
  );
}

function Removal({ template }: { readonly template: Template }) {
  const words = useTemplateWords();
  const navigate = useNavigate();
  const [isAsked, setAsked] = useState(false);
  const removal = useRemoval('/api/v1/templates/{id}');
  const { id, name } = template;
  const remove = () =>
    removal.mutate(
      { parameters: { id } },
      {
        onSuccess: (_answer, isShown) => {
          showToast({ text: words.removed(name) });
          if (isShown) void navigate({ to: '/templates' });
        },
      },
    );
  return (
    <>
      <Button look="danger" className={styles.removal} onClick={() => setAsked(true)}>
        {words.remove}
      </Button>
      {isAsked && (
        <Dialog title={words.remove} close={() => setAsked(false)}>
          <div className={styles.form}>
            <p>{words.removeSure}</p>
            <FaultNotice fault={removal.error} />
            <div className={layout.row}>
              <Button look="danger" busy={removal.isPending} onClick={remove}>
                {words.remove}
              </Button>
              <Button onClick={() => setAsked(false)}>{words.cancel}</Button>
            </div>
          </div>
        </Dialog>
      )}
    </>
  );
}
