/** The earlier versions of a template, and what has changed since. */
import { useState } from 'react';
import { useRead } from '../api/queries.ts';
import { Button } from '../design/button.tsx';
import layout from '../design/layout.module.css';
import { FaultNotice } from '../design/notice.tsx';
import { Section } from '../design/page.tsx';
import { Time } from '../design/time.tsx';
import { differencesOf } from './differences.ts';
import styles from './templates.module.css';
import { useTemplateWords } from './texts.ts';

interface VersionsProps {
  readonly id: string;
  /** The current text. */
  readonly text: string;
  readonly restore: ((text: string) => void) | undefined;
}

export function Versions({ id, text, restore }: VersionsProps) {
  const words = useTemplateWords();
  const [open, setOpen] = useState<string>();
  const { data } = useRead('/api/v1/templates/{id}/versions', { id });
  const former = data?.versions.slice(1) ?? [];
  if (former.length === 0) return null;
  return (
    <Section title={words.versions}>
      <ul className={layout.lines}>
        {former.map(({ version, name, changed, username }) => (
          <li key={version}>
            <button
              type="button"
              className={`${styles.version} ${layout.row}`}
              aria-expanded={open === version}
              onClick={() => setOpen(open === version ? undefined : version)}
            >
              <strong>{words.version(version)}</strong>
              <span>{name}</span>
              {changed !== undefined && <Time at={changed} />}
              {username !== undefined && <span>{words.by(username)}</span>}
            </button>
            {open === version && <Compared id={id} version={version} text={text} restore={restore} />}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Compared({ id, version, text, restore }: VersionsProps & { readonly version: string }) {
  const words = useTemplateWords();
  const { data, error } = useRead('/api/v1/templates/{id}/versions/{version}', { id, version });
  if (data === undefined) return <FaultNotice fault={error} />;
  return (
    <div className={layout.stack}>
      <p className={layout.soft}>{data.text === text ? words.same : words.compare}</p>
      <p className={layout.sms}>
        {differencesOf(data.text, text).map(({ kind, text: piece }, place) =>
          kind === 'same' ? (
            piece
          ) : kind === 'gone' ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of two texts that don't change
            <del key={place}>{piece}</del>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <ins key={place}>{piece}</ins>
          ),
        )}
      </p>
      {restore !== undefined && (
        <Button small className={layout.start} onClick={() => restore(data.text)}>
          {words.restore}
        </Button>
      )}
    </div>
  );
}
