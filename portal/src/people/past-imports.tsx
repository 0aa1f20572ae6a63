/** The imports of the last day, each of which can be undone. */
import { useAct, useList } from '../api/queries.ts';
import { ConfirmButton } from '../design/confirm-dialog.tsx';
import { CursorList } from '../design/cursor-list.tsx';
import { Section } from '../design/page.tsx';
import { Time } from '../design/time.tsx';
import { showToast } from '../design/toasts.tsx';
import { usePeopleWords } from './texts.ts';

export function PastImports({ book }: { readonly book: string }) {
  const words = usePeopleWords();
  const list = useList(
    '/api/v1/addressbooks/{book}/imports',
    'imports',
    { book, limit: 20 },
    { live: ['contacts'] },
  );
  if (!list.isLoading && list.items.length === 0) return null;
  return (
    <Section title={words.imports}>
      <CursorList
        label={words.imports}
        list={list}
        keyOf={({ id }) => id}
        empty={null}
        columns={[
          { title: words.file, place: 'main', cell: ({ file }) => <bdi>{file}</bdi> },
          { title: words.by, cell: ({ username }) => username },
          { title: words.when, place: 'below', cell: ({ time }) => <Time at={time} /> },
          {
            title: words.did,
            place: 'below',
            cell: ({ created, changed }) => `${words.created(created)}, ${words.changedCount(changed)}`,
          },
          {
            title: words.undo,
            place: 'aside',
            width: '7rem',
            cell: ({ id, file, state }) =>
              state === 'undone' ? words.states.undone : <Undoing book={book} id={id} file={file} />,
          },
        ]}
      />
    </Section>
  );
}

interface UndoingProps {
  readonly book: string;
  readonly id: string;
  readonly file: string;
}

function Undoing({ book, id, file }: UndoingProps) {
  const words = usePeopleWords();
  return (
    <ConfirmButton
      small
      look="plain"
      label={words.undo}
      question={words.undoSure(`\u2068${file}\u2069`)}
      act={useAct('/api/v1/addressbooks/{book}/imports/{id}/undo')}
      parameters={{ book, id }}
      done={({ undone }) => showToast({ text: words.undone(undone) })}
    />
  );
}
