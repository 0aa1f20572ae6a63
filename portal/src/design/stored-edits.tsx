/**
 * A user's edits of a stored object: what is typed is kept until it is saved, only what differs is sent, and if somebody else has
 * saved first, both versions are shown.
 */
import type { AnswerOf, ParametersOf, PathFor } from '../api/endpoints.ts';
import { useEdit } from '../api/queries.ts';
import { useEdits } from '../browser/draft.ts';
import { Button } from './button.tsx';
import { Conflict } from './conflict.tsx';
import { useLaterWords } from './later-texts.ts';
import { showToast } from './toasts.tsx';

export type EditedPath = PathFor<'PATCH'> & PathFor<'GET'>;

type Rows = readonly (readonly [label: string, value: string])[];

export interface StoredObject<Path extends EditedPath, Fields> {
  readonly path: Path;
  readonly of: ParametersOf<'GET', Path>;
  /** The name under which the browser keeps what is typed: whose edits they are, and of what. */
  readonly draft: string;
  /** The fields as they are stored. */
  readonly stored: Fields;
  readonly version: string;
  /** Whether a save may overwrite more of the object than these fields, such as a secret. */
  readonly overwritesMore?: boolean;
  /** The fields as people compare them. */
  readonly rows: (fields: Fields) => Rows;
  /** What is said once the edits are saved. */
  readonly saved?: string;
  readonly done?: ((answer: AnswerOf<'PATCH', Path>, isShown: boolean) => void) | undefined;
}

export function useStoredEdits<Path extends EditedPath, Fields>(object: StoredObject<Path, Fields>) {
  const { path, of, draft, stored, version, overwritesMore, rows, saved, done } = object;
  const words = useLaterWords();
  const edits = useEdits(draft, stored, version, overwritesMore);
  const { fields, change, isTouched, version: begunWith } = edits;
  const act = useEdit(path, of);
  const { isPending, error } = act;
  const isBehind = isTouched && begunWith !== version;
  const drop = () => {
    edits.drop();
    act.reset();
  };
  /** Saves what is sent besides the path's own parameters. */
  const saving = (changes: object) => {
    const parameters = Object.assign({}, of, changes) as object as ParametersOf<'PATCH', Path>;
    const saveOver = (over: string | undefined) =>
      act.mutate(
        { parameters, version: over },
        {
          onSuccess(answer, isShown) {
            edits.saved();
            showToast({ text: saved ?? words.saved });
            done?.(answer, isShown);
          },
        },
      );
    return {
      save: () => saveOver(begunWith),
      call: { method: 'PATCH', path, parameters, version: begunWith } as const,
      lacksChanges: Object.keys(changes).length === 0,
      conflict: isBehind && (
        <Conflict
          fields={compared(rows(fields), rows(stored))}
          take={[words.takeTheirs, drop]}
          keep={[words.saveMine, () => saveOver(version)]}
          busy={isPending}
        >
          {words.changedMeanwhile}
        </Conflict>
      ),
    };
  };
  return {
    fields,
    change,
    isTouched,
    /** Whether somebody else has saved first, and the user has yet to choose. */
    isBehind,
    // The conflict says it already.
    act: { isPending, error: isBehind && error?.code === 'changed_meanwhile' ? null : error },
    saving,
    drop,
    discard: isTouched && <Button onClick={drop}>{words.discard}</Button>,
  };
}

function compared(mine: Rows, theirs: Rows) {
  return mine.map(([label, value], at) => [label, value, theirs[at]?.[1] ?? ''] as const);
}

/** Makes the rows of fields that have the names of their words. */
export function useRowsByName<Name extends string>(words: Readonly<Record<NoInfer<Name>, string>>) {
  const own = useLaterWords();
  const shown = (value: string | boolean | readonly string[]) =>
    typeof value === 'boolean' ? (value ? own.yes : own.no) : [value].flat().join(', ');
  return (fields: Readonly<Record<Name, string | boolean | readonly string[]>>): Rows =>
    (Object.keys(fields) as Name[]).map((name) => [words[name], shown(fields[name])]);
}
