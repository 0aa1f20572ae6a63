/**
 * The form of a type or an owner of saved jobs: what is typed is kept, only what differs is sent, and if somebody else was
 * first, both versions are shown.
 */
import type { ReactNode } from 'react';
import type { AnswerOf, ParametersOf, PathFor } from '../../api/endpoints.ts';
import type { Fault } from '../../api/fault.ts';
import { useAct } from '../../api/queries.ts';
import { changesOf, useEdits } from '../../browser/draft.ts';
import { ActForm } from '../../design/act-form.tsx';
import { type EditedPath, type StoredObject, useStoredEdits } from '../../design/stored-edits.tsx';
import { showToast } from '../../design/toasts.tsx';
import { useSession } from '../../session/session.ts';
import { useEditWords } from './texts.ts';

export interface Shown<Fields> {
  readonly fields: Fields;
  readonly set: (some: Partial<Fields>) => void;
  readonly fault: Fault | null;
}

interface FormProps<Path, Fields, Answer> {
  readonly path: Path;
  /** The name under which the browser keeps what is typed. */
  readonly draft: string;
  readonly fields: Fields;
  readonly callOf: (fields: Fields) => object;
  readonly done?: (answer: Answer, isShown: boolean) => void;
  readonly children: (shown: Shown<Fields>) => ReactNode;
}

type Making = PathFor<'POST'>;
type NewProps<Path extends Making, Fields> = FormProps<Path, Fields, AnswerOf<'POST', Path>>;

export function NewForm<Path extends Making, Fields>(props: NewProps<Path, Fields>) {
  const { path, draft, callOf, children } = props;
  const words = useEditWords();
  const { username } = useSession();
  const edits = useEdits(`${draft}.${username}`, props.fields);
  const act = useAct(path);
  const parameters = callOf(edits.fields) as ParametersOf<'POST', Path>;
  const save = () =>
    act.mutate(
      { parameters },
      {
        onSuccess(answer, isShown) {
          edits.saved();
          showToast({ text: words.saved });
          props.done?.(answer, isShown);
        },
      },
    );
  return (
    <ActForm
      form={{ isPending: act.isPending, fault: act.error }}
      submit={save}
      label={words.save}
      call={{ method: 'POST', path, parameters }}
    >
      {children({ ...shownOf(edits), fault: act.error })}
    </ActForm>
  );
}

function shownOf<Fields>({ fields, change }: Pick<ReturnType<typeof useEdits<Fields>>, 'fields' | 'change'>) {
  return { fields, set: (some: Partial<Fields>) => change((before) => ({ ...before, ...some })) };
}

interface StoredProps<Path extends EditedPath, Fields>
  extends FormProps<Path, Fields, AnswerOf<'PATCH', Path>>,
    Pick<StoredObject<Path, Fields>, 'version' | 'rows'> {
  readonly of: ParametersOf<'GET', Path>;
}

export function StoredForm<Path extends EditedPath, Fields>(props: StoredProps<Path, Fields>) {
  const { path, of, draft, version, fields: stored, callOf, rows, done, children } = props;
  const words = useEditWords();
  const { username } = useSession();
  const edits = useStoredEdits({ path, of, draft: `${draft}.${username}`, stored, version, rows, done });
  const { error: fault, isPending } = edits.act;
  const { save, call, conflict } = edits.saving(changesOf(callOf(edits.fields), callOf(stored)));
  return (
    <ActForm
      form={{ isPending, fault }}
      submit={save}
      label={words.save}
      lacks={!edits.isTouched}
      call={call}
      aside={edits.discard}
    >
      {conflict}
      {children({ ...shownOf(edits), fault })}
    </ActForm>
  );
}
