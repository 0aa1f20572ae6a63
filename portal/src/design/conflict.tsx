/** Shows what differs if another user has changed the same object, and lets the user choose which version to keep. */
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { useLaterWords } from './later-texts.ts';
import layout from './layout.module.css';
import { Notice } from './notice.tsx';

interface ConflictProps {
  readonly children: ReactNode;
  /** The differences, field by field; equal fields are left out. */
  readonly fields: readonly (readonly [name: string, mine: string, theirs: string])[];
  /** Label and action of each button. */
  readonly take: readonly [label: string, drop: () => void];
  readonly keep: readonly [label: string, save: () => void];
  /** Whether a save is in progress. */
  readonly busy: boolean;
}

export function Conflict({ children, fields, take: [take, drop], keep: [keep, save], busy }: ConflictProps) {
  const words = useLaterWords();
  return (
    <Notice tone="warning">
      {/* The alert leaves out the table, which changes with what is typed. */}
      <div role="alert">{children}</div>
      <table style={{ tableLayout: 'fixed' }}>
        <thead>
          <tr>
            <td />
            <th scope="col">{words.yours}</th>
            <th scope="col">{words.theirs}</th>
          </tr>
        </thead>
        <tbody>
          {fields
            .filter(([, mine, theirs]) => mine !== theirs)
            .map(([name, mine, theirs]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td style={{ whiteSpace: 'pre-wrap' }}>
                  <bdi>{mine}</bdi>
                </td>
                <td style={{ whiteSpace: 'pre-wrap' }}>
                  <bdi>{theirs}</bdi>
                </td>
              </tr>
            ))}
        </tbody>
      </table>
      <div className={layout.buttons}>
        <Button onClick={drop}>{take}</Button>
        <Button busy={busy} onClick={save}>
          {keep}
        </Button>
      </div>
    </Notice>
  );
}
