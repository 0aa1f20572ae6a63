/**
 * The form of a type or an owner of saved jobs: what is typed is kept, only what differs is sent, and if somebody else was
 * first, both versions are shown.
 */
import type { ReactNode } from 'react';
import type { AnswerOf, ParametersOf, PathFor } from '../../api/endpoints.ts';
import type { Fault } from '../../api/fault.ts';
import { useAct, useEdit } from '../../api/queries.ts';
import { changesOf, useEdits } from '../../browser/draft.ts';
import { ActForm } from '../../design/act-form.tsx';
import { Button } from '../../design/button.tsx';
import { ChangedMeanwhile } from '../../design/conflict.tsx';
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
  const onSuccess = useSaved(edits, props.done);
  const save = () => act.mutate({ parameters }, { onSuccess });
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

function useSaved<Answer>(edits: { saved(): void }, done: FormProps<unknown, unknown, Answer>['done']) {
  const words = useEditWords();
  return (answer: Answer, isShown: boolean) => {
    edits.saved();
    showToast({ text: words.saved });
    done?.(answer, isShown);
  };
}

function shownOf<Fields>({ fields, change }: Pick<ReturnType<typeof useEdits<Fields>>, 'fields' | 'change'>) {
  return { fields, set: (some: Partial<Fields>) => change((before) => ({ ...before, ...some })) };
}

type Changing = PathFor<'PATCH'> & PathFor<'GET'>;

interface StoredProps<Path extends Changing, Fields>
  extends FormProps<Path, Fields, AnswerOf<'PATCH', Path>> {
  readonly of: ParametersOf<'GET', Path>;
  readonly version: string;
  readonly rows: (fields: Fields) => readonly (readonly [label: string, value: string])[];
}

export function StoredForm<Path extends Changing, Fields>(props: StoredProps<Path, Fields>) {
  const { path, of, draft, version, fields: stored, callOf, rows, children } = props;
  const words = useEditWords();
  const { username } = useSession();
  const edits = useEdits(`${draft}.${username}`, stored, version);
  const act = useEdit(path, of);
  const changes = changesOf(callOf(edits.fields), callOf(stored));
  const parameters = Object.assign({}, of, changes) as object as ParametersOf<'PATCH', Path>;
  const onSuccess = useSaved(edits, props.done);
  const save = (over = edits.version) => act.mutate({ parameters, version: over }, { onSuccess });
  const drop = () => {
    edits.drop();
    act.reset();
  };
  const fault = act.error?.code === 'changed_meanwhile' ? null : act.error;
  const theirs = rows(stored);
  return (
    <ActForm
      form={{ isPending: act.isPending, fault }}
      submit={() => save()}
      label={words.save}
      lacks={!edits.isTouched}
      call={{ method: 'PATCH', path, parameters, version: edits.version }}
      aside={edits.isTouched && <Button onClick={drop}>{words.discard}</Button>}
    >
      <ChangedMeanwhile
        edits={edits}
        version={version}
        act={act}
        save={save}
        fields={rows(edits.fields).map(([label, mine], at) => [label, mine, theirs[at]?.[1] ?? ''])}
        take={words.theirs}
        keep={words.mine}
      >
        {words.meanwhile}
      </ChangedMeanwhile>
      {children({ ...shownOf(edits), fault })}
    </ActForm>
  );
}
