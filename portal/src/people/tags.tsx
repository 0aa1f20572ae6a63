/**
 * The tags of a person as small labels, the type quieter than the value, with or without controls to add and remove them.
 */

import { type KeyboardEvent, useState } from 'react';
import { parseTagFilter } from '../../../src/wire/tag-filter.ts';
import { Button } from '../design/button.tsx';
import { Chip } from '../design/chip.tsx';
import { TextField } from '../design/field.tsx';
import layout from '../design/layout.module.css';
import { usePeopleWords } from './texts.ts';

export interface Tag {
  readonly type: string;
  readonly value: string;
}

interface TagChipsProps {
  readonly tags: readonly Tag[];
  /** Removes the tag whose cross is pressed; `label` is the cross's text. */
  readonly remove?: { readonly label: (tag: string) => string; readonly act: (tag: Tag) => void };
}

export function TagChips({ tags, remove }: TagChipsProps) {
  return (
    <span className={`${layout.row} ${layout.tight}`}>
      {tags.map((tag) => {
        const text = `${tag.type}:${tag.value}`;
        return (
          <Chip key={text} {...(remove && { remove: [remove.label(text), () => remove.act(tag)] })}>
            <bdi className={layout.soft}>{tag.type}</bdi> <bdi>{tag.value}</bdi>
          </Chip>
        );
      })}
    </span>
  );
}

interface TagEditorProps {
  readonly tags: readonly Tag[];
  readonly change: (tags: readonly Tag[]) => void;
}

/** The tags with controls to add and remove them. */
export function TagEditor({ tags, change }: TagEditorProps) {
  const words = usePeopleWords();
  const [written, setWritten] = useState('');
  const [isWrong, setWrong] = useState(false);
  const without = (gone: Tag) => tags.filter(({ type, value }) => type !== gone.type || value !== gone.value);
  const add = () => {
    // A tag is written as in a filter, so several can be added at once.
    const parsed = parseTagFilter(written);
    setWrong(!parsed.ok);
    if (!parsed.ok) return;
    const added = parsed.value.flatMap(({ tagType, tagValues }) =>
      tagValues.map((value) => ({ type: tagType, value })),
    );
    change(
      added.reduce(
        (all, tag) => [...all.filter((one) => one.type !== tag.type || one.value !== tag.value), tag],
        tags,
      ),
    );
    setWritten('');
  };
  const addByEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    if (written !== '') add();
  };
  return (
    <fieldset className={`${layout.stack} ${layout.tight}`}>
      <legend>{words.tags}</legend>
      <TagChips tags={tags} remove={{ label: words.removeTag, act: (tag) => change(without(tag)) }} />
      <div className={layout.line}>
        <TextField
          label={words.addTag}
          hint={words.addTagHint}
          error={isWrong ? words.badTag : undefined}
          value={written}
          dir="auto"
          autoComplete="off"
          onKeyDown={addByEnter}
          onChange={({ target }) => setWritten(target.value)}
        />
        <Button onClick={() => written !== '' && add()}>{words.add}</Button>
      </div>
    </fieldset>
  );
}
