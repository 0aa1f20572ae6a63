/** Somebody else has changed what somebody is changing: what differs, and the choice of whose is to stay. */
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { useLaterWords } from './later-texts.ts';
import layout from './layout.module.css';
import { Notice } from './notice.tsx';

interface ConflictProps {
  readonly children: ReactNode;
  /** Field by field; those that are alike are left out. */
  readonly fields: readonly (readonly [name: string, mine: string, theirs: string])[];
  /** What the buttons say, and do. */
  readonly take: readonly [label: string, drop: () => void];
  readonly keep: readonly [label: string, save: () => void];
  /** It is being saved. */
  readonly busy: boolean;
}

export function Conflict({ children, fields, take: [take, drop], keep: [keep, save], busy }: ConflictProps) {
  const words = useLaterWords();
  return (
    <Notice tone="warning">
      {/* Without the rest, which follows what is typed. */}
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
