/** A field for a list of short texts: each becomes a chip when it is added, with Enter, a comma, or by leaving the field. */
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import type { FaultContent } from '../api/fault.ts';
import { Button } from './button.tsx';
import { Chip } from './chip.tsx';
import { TextField } from './field.tsx';
import { useLaterWords } from './later-texts.ts';
import layout from './layout.module.css';

interface ChipsFieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: ReactNode | FaultContent;
  readonly items: readonly string[];
  readonly change: (items: readonly string[]) => void;
  /** What may be added, with the names by which people know it; if absent, any text. */
  readonly options?: ReadonlyMap<string, string>;
  readonly maxLength: number;
}

export function ChipsField(props: ChipsFieldProps) {
  const { label, hint, error, items, change, options, maxLength } = props;
  const words = useLaterWords();
  const id = useId();
  const [typed, setTyped] = useState('');
  const nameOf = (item: string) => options?.get(item) ?? item;
  const add = () => {
    const given = typed.split(/[,;]/).flatMap((one) => itemOf(one.trim(), options));
    if (given.length > 0) change([...new Set([...items, ...given])]);
    setTyped('');
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ',') return;
    event.preventDefault();
    add();
  };
  return (
    <div className={`${layout.stack} ${layout.tight}`}>
      <div className={layout.line}>
        <TextField
          label={label}
          hint={hint}
          error={error}
          value={typed}
          list={options && id}
          maxLength={maxLength}
          autoComplete="off"
          onKeyDown={pressed}
          onBlur={add}
          onChange={({ target }) => setTyped(target.value)}
        />
        <Button onClick={add}>{words.add}</Button>
      </div>
      {options !== undefined && (
        <datalist id={id}>
          {[...options].map(([value, name]) => (
            <option key={value} value={name} />
          ))}
        </datalist>
      )}
      {items.length > 0 && (
        <span className={`${layout.row} ${layout.tight}`}>
          {items.map((item) => (
            <Chip
              key={item}
              remove={[words.removeItem(nameOf(item)), () => change(items.filter((one) => one !== item))]}
            >
              <bdi>{nameOf(item)}</bdi>
            </Chip>
          ))}
        </span>
      )}
    </div>
  );
}

/** What stands for a name is found by it; anything else is for the server to judge. */
function itemOf(typed: string, options: ReadonlyMap<string, string> | undefined): readonly string[] {
  if (typed === '') return [];
  const named = [...(options ?? [])].find(([, name]) => name.toLowerCase() === typed.toLowerCase());
  return [named?.[0] ?? (options === undefined ? typed : typed.toUpperCase())];
}
