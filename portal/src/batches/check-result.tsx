/** The result of a check: the faults by line and column, the cost, and what would cost less. */
import type { ReactNode } from 'react';
import { Button } from '../design/button.tsx';
import { FaultText } from '../design/fault-text.tsx';
import layout from '../design/layout.module.css';
import { Notice } from '../design/notice.tsx';
import { Card, Section } from '../design/page.tsx';
import { PhoneNumber } from '../design/phone-number.tsx';
import { useSession } from '../session/session.ts';
import { useNumbers } from '../words/words.ts';
import type { BatchDraft } from './batch-draft.ts';
import styles from './batches.module.css';
import type { Mapping, Table } from './table/table.ts';
import { useBatchWords } from './texts.ts';
import type { Checked, Preview } from './use-check.ts';

export interface CheckResultProps {
  readonly checked: Checked;
  readonly draft: BatchDraft;
  readonly change: (more: Partial<BatchDraft>) => void;
  readonly table: Table;
  readonly mapping: Mapping;
  /** The controls that send the batch; shown only if there are no faults. */
  readonly children: ReactNode;
}

export function CheckResult({ checked, draft, change, table, mapping, children }: CheckResultProps) {
  const words = useBatchWords();
  const { preview } = checked;
  const { messages, parts, duplicates, quotaLeft, faultCount } = preview;
  return (
    <Section title={words.result}>
      <Card className={`${layout.stack} ${layout.loose}`}>
        <p className={layout.figure}>{words.summary(messages, parts)}</p>
        {duplicates > 0 && <p className={layout.soft}>{words.leftOut(duplicates)}</p>}
        {quotaLeft !== undefined &&
          (quotaLeft < parts ? (
            <Notice tone="warning">{words.quotaShort(quotaLeft)}</Notice>
          ) : (
            <p className={layout.soft}>{words.quotaLeft(quotaLeft)}</p>
          ))}
        {faultCount > 0 && <Faults checked={checked} table={table} mapping={mapping} />}
        {messages > 0 && <Histogram histogram={preview.histogram} />}
        <SavingsList preview={preview} draft={draft} change={change} />
        {preview.samples.length > 0 && <Samples samples={preview.samples} />}
        {faultCount === 0 && messages > 0 && <div className={layout.buttons}>{children}</div>}
      </Card>
    </Section>
  );
}

function Faults({ checked, table, mapping }: Pick<CheckResultProps, 'checked' | 'table' | 'mapping'>) {
  const words = useBatchWords();
  const { faults, faultCount } = checked.preview;
  const columnOf = (field: string) => {
    if (field === 't') return table.columns[mapping.number];
    return mapping.text === undefined ? words.message : table.columns[mapping.text];
  };
  const rows = faults.map(({ field, code, error, values }, place) => {
    const [, index, name = 't'] = /^batch\[(\d+)\](?:\.(\w+))?/.exec(field) ?? [];
    const line = index === undefined ? undefined : checked.lines[Number(index)];
    const where = line === undefined ? words.whole : `${words.line(line)}, ${columnOf(name)}`;
    return { place, where, fault: { code, error: sentenceOf(error, field), values } };
  });
  return (
    <>
      <Notice tone="error">
        <strong>{words.faultCount(faultCount)}.</strong> {words.faultsFirst}
      </Notice>
      <ul className={`${styles.faults} ${layout.lines} ${layout.scrolls}`}>
        {rows.map(({ place, where, fault }) => (
          <li key={place} className={`${layout.row} ${layout.level}`}>
            <strong>{where}</strong>
            <span>
              <FaultText fault={fault} />
            </span>
          </li>
        ))}
        {faultCount > faults.length && <li>{words.andMore(faultCount - faults.length)}</li>}
      </ul>
    </>
  );
}

/** Removes the name of the call's field from the sentence, because the line and column are shown instead. */
function sentenceOf(error: string, field: string): string {
  const joint = [`\`${field}\`: `, `\`${field}\` `].find((one) => error.startsWith(one)) ?? '';
  return error.slice(joint.length);
}

function Histogram({ histogram }: Pick<Preview, 'histogram'>) {
  const words = useBatchWords();
  const number = useNumbers();
  const most = Math.max(...histogram.map(({ messages }) => messages));
  return (
    <div className={`${layout.stack} ${layout.tight}`}>
      <h3>{words.histogram}</h3>
      <dl className={`${styles.histogram} ${layout.stack} ${layout.tight}`}>
        {histogram.map(({ parts, messages }) => (
          <div key={parts}>
            <dt>{words.inParts(parts)}</dt>
            <dd className={layout.row}>
              <span className={styles.column} style={{ width: `${(70 * messages) / most}%` }} />
              {number(messages)}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function SavingsList({
  preview: { savings },
  draft,
  change,
}: Pick<CheckResultProps, 'draft' | 'change'> & { readonly preview: Preview }) {
  const words = useBatchWords();
  const { replaceCharacters } = useSession();
  const { characters, replacing, shortening } = savings;
  const mayReplace = replaceCharacters && replacing.messages > 0 && !draft.replaces;
  const sentences = [
    ...characters
      .slice(0, 5)
      .map(({ messages, parts, character, similar }) =>
        words.withoutCharacter(messages, parts, character, similar),
      ),
    ...(mayReplace ? [words.withReplacing(replacing.messages, replacing.parts)] : []),
    ...(shortening.messages > 0 ? [words.withShortening(shortening.messages)] : []),
  ];
  if (sentences.length === 0) return null;
  return (
    <div className={`${layout.stack} ${layout.tight}`}>
      <h3>{words.savings}</h3>
      <ul className={`${styles.savings} ${layout.stack} ${layout.tight}`} data-tone="plain">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}.</li>
        ))}
      </ul>
      {mayReplace && (
        <Button small className={layout.start} onClick={() => change({ replaces: true })}>
          {words.replaceNow}
        </Button>
      )}
    </div>
  );
}

function Samples({ samples }: Pick<Preview, 'samples'>) {
  const words = useBatchWords();
  return (
    <div className={`${layout.stack} ${layout.tight}`}>
      <h3>{words.samples}</h3>
      <ul className={`${layout.stack} ${layout.tight}`}>
        {samples.map(({ to, message, parts }) => (
          <li key={to}>
            <span className={layout.soft}>
              <PhoneNumber number={to} /> · {words.inParts(parts)}
            </span>
            <p className={layout.sms} dir="auto">
              {message}
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}
