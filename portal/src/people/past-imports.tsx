/** The imports of the last day, each of which can be undone. */
import { useState } from 'react';
import { useAct, useList } from '../api/queries.ts';
import { Button } from '../design/button.tsx';
import { CursorList } from '../design/cursor-list.tsx';
import { Section } from '../design/page.tsx';
import { Time } from '../design/time.tsx';
import { showToast } from '../design/toasts.tsx';
import { Question } from './question.tsx';
import { usePeopleWords } from './texts.ts';

interface PastImport {
  readonly id: string;
  readonly file: string;
}

export function PastImports({ book }: { readonly book: string }) {
  const words = usePeopleWords();
  const list = useList('/api/v1/addressbooks/{book}/imports', 'imports', { book, limit: 20 });
  const [asked, setAsked] = useState<PastImport | undefined>();
  if (!list.isLoading && list.items.length === 0) return null;
  return (
    <Section title={words.imports}>
      {asked !== undefined && <Undoing book={book} asked={asked} close={() => setAsked(undefined)} />}
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
              state === 'undone' ? (
                words.states.undone
              ) : (
                <Button small onClick={() => setAsked({ id, file })}>
                  {words.undo}
                </Button>
              ),
          },
        ]}
      />
    </Section>
  );
}

interface UndoingProps {
  readonly book: string;
  readonly asked: PastImport;
  readonly close: () => void;
}

function Undoing({ book, asked: { id, file }, close }: UndoingProps) {
  const words = usePeopleWords();
  const undo = useAct('/api/v1/addressbooks/{book}/imports/{id}/undo');
  const take = () =>
    undo.mutate(
      { parameters: { book, id } },
      {
        onSuccess: ({ undone }) => {
          close();
          showToast({ text: words.undone(undone) });
        },
      },
    );
  return (
    <Question act={words.undo} close={close} fault={undo.error} busy={undo.isPending} yes={take}>
      {words.undoSure(`\u2068${file}\u2069`)}
    </Question>
  );
}
