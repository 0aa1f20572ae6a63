/** One saved text: an editor that counts its parts, a trial, and a comparison with earlier versions. */
import { useNavigate, useParams } from '@tanstack/react-router';
import type { CurlCall } from '../api/as-curl.ts';
import type { AnswerOf } from '../api/endpoints.ts';
import { useAct, type useChange, useRead } from '../api/queries.ts';
import { useEdits } from '../browser/draft.ts';
import { ActForm, formOf } from '../design/act-form.tsx';
import { Answered } from '../design/answered.tsx';
import { BackLink } from '../design/button.tsx';
import { Removal } from '../design/confirm-dialog.tsx';
import { TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { MessageField } from '../design/message-field.tsx';
import { Notice } from '../design/notice.tsx';
import { Page } from '../design/page.tsx';
import { useStoredEdits } from '../design/stored-edits.tsx';
import { showToast } from '../design/toasts.tsx';
import { hasOneOf, useSession } from '../session/session.ts';
import { useTemplateWords } from './texts.ts';
import { Trial } from './trial.tsx';
import { Versions } from './versions.tsx';

type Template = AnswerOf<'GET', '/api/v1/templates/{id}'>;
type Edits = Pick<ReturnType<typeof useEdits<Pick<Template, 'name' | 'text'>>>, 'fields' | 'change'>;

const path = '/api/v1/templates/{id}';
const blank = { name: '', text: '' };

export function NewTemplatePage() {
  const words = useTemplateWords();
  const navigate = useNavigate();
  const { username } = useSession();
  const edits = useEdits(`template.new.${username}`, blank);
  const act = useAct('/api/v1/templates');
  const parameters = edits.fields;
  const save = () =>
    act.mutate(
      { parameters },
      {
        onSuccess: ({ id }, isShown) => {
          edits.saved();
          showToast({ text: words.made });
          if (isShown) void navigate({ to: '/templates/$id', params: { id } });
        },
      },
    );
  return (
    <Page title={words.make} back={<Back />}>
      <Editor
        edits={edits}
        act={act}
        save={save}
        call={{ method: 'POST', path: '/api/v1/templates', parameters }}
      />
    </Page>
  );
}

export function TemplatePage() {
  const { id = '' } = useParams({ strict: false });
  const read = useRead(path, { id });
  const words = useTemplateWords();
  return (
    <Page title={read.data?.name ?? words.title} back={<Back />}>
      <Answered read={read}>{(template) => <Edited key={template.id} template={template} />}</Answered>
    </Page>
  );
}

function Back() {
  return <BackLink to="/templates">{useTemplateWords().back}</BackLink>;
}

function Edited({ template }: { readonly template: Template }) {
  const words = useTemplateWords();
  const session = useSession();
  const { id, name, text, version, managed } = template;
  const edits = useStoredEdits({
    path,
    of: { id },
    draft: `template.${id}.${session.username}`,
    stored: { name, text },
    version,
    rows: (fields) => [
      [words.name, fields.name],
      [words.text, fields.text],
    ],
    saved: words.saved,
  });
  const { save, call, conflict } = edits.saving(edits.fields);
  const mayChange = hasOneOf(session, ['companyAdmin']) && !managed;
  return (
    <div className={`${layout.stack} ${layout.loose}`}>
      {managed && <Notice>{words.managedText}</Notice>}
      {!managed && !mayChange && <Notice>{words.onlyAdministrators}</Notice>}
      {conflict}
      <Editor edits={edits} act={edits.act} save={save} call={call} readOnly={!mayChange} />
      <Versions
        id={id}
        text={text}
        restore={mayChange ? (old) => edits.change((before) => ({ ...before, text: old })) : undefined}
      />
      {mayChange && (
        <Removal
          path={path}
          parameters={{ id }}
          label={words.remove}
          title={words.removeTitle(name)}
          question={words.removeSure}
          removed={words.removed(name)}
          next={{ to: '/templates' }}
        />
      )}
    </div>
  );
}

interface EditorProps {
  readonly edits: Edits;
  readonly act: Pick<ReturnType<typeof useChange<typeof path>>, 'error' | 'isPending'>;
  readonly save: () => void;
  readonly call: CurlCall;
  readonly readOnly?: boolean;
}

function Editor({ edits, act, save, call, readOnly = false }: EditorProps) {
  const words = useTemplateWords();
  const { fields, change } = edits;
  const form = formOf(act, [fields, change]);
  const isFixed = readOnly || act.isPending;
  const inputs = (
    <>
      <TextField label={words.name} required maxLength={100} readOnly={isFixed} {...form.field('name')} />
      <MessageField
        label={words.text}
        hint={words.textHint}
        error={form.field('text').error}
        text={fields.text}
        readOnly={isFixed}
        onChange={(text) => change((before) => ({ ...before, text }))}
      />
    </>
  );
  return (
    <div className={layout.columns}>
      {readOnly ? (
        <div className={layout.stack}>{inputs}</div>
      ) : (
        <ActForm form={form} submit={save} label={words.save} call={call}>
          {inputs}
        </ActForm>
      )}
      <Trial text={fields.text} />
    </div>
  );
}
