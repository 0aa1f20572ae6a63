/** What an import would do: how many, what is wrong in which line, and the first that would change. */
import type { AnswerOf } from '../api/endpoints.ts';
import layout from '../design/layout.module.css';
import { PhoneNumber } from '../design/phone-number.tsx';
import styles from './people.module.css';
import { TagChips } from './tag-chips.tsx';
import { usePeopleWords } from './texts.ts';

export type Preview = AnswerOf<'POST', '/api/v1/addressbooks/{book}/import/preview'>;

export function ImportPreview({ preview }: { readonly preview: Preview }) {
  const words = usePeopleWords();
  const { created, changed, unchanged, managed, faulty, faults, changes } = preview;
  return (
    <section aria-label={words.preview} className={layout.stack}>
      <h2>{words.preview}</h2>
      <ul className={`${styles.counts} ${layout.row}`}>
        <li>{words.created(created)}</li>
        <li>{words.changedCount(changed)}</li>
        <li>{words.unchanged(unchanged)}</li>
        {managed > 0 && <li>{words.managedCount(managed)}</li>}
        {faulty > 0 && <li data-tone="failed">{words.faulty(faulty)}</li>}
      </ul>
      {faults.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">{words.line}</th>
              <th scope="col">{words.fault}</th>
            </tr>
          </thead>
          <tbody>
            {faults.map(({ line, error }) => (
              <tr key={`${line} ${error}`}>
                <td>{line}</td>
                <td>
                  <bdi lang="en">{error}</bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Changes changes={changes} />
    </section>
  );
}

function Changes({ changes }: Pick<Preview, 'changes'>) {
  const words = usePeopleWords();
  if (changes.length === 0) return null;
  return (
    <ul className={layout.lines}>
      {changes.map(({ outcome, before, after }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is drawn once for each look at a file
        <li key={place} className={`${layout.row} ${layout.level}`}>
          <span className={layout.soft}>
            {outcome === 'created'
              ? words.created(1)
              : outcome === 'managed'
                ? words.managedCount(1)
                : words.changedCount(1)}
          </span>
          <span>
            {before !== undefined && before.name !== after?.name && (
              <del>
                <bdi>{before.name}</bdi>
              </del>
            )}{' '}
            <bdi>{after?.name}</bdi>
          </span>
          {after?.phone !== undefined && <PhoneNumber number={after.phone} />}
          <TagChips tags={after?.tags ?? []} />
        </li>
      ))}
    </ul>
  );
}
