/** The tags of a person, as small labels: of the type quietly, of the value plainly. */
import { Chip } from '../design/chip.tsx';
import layout from '../design/layout.module.css';

export interface Tag {
  readonly type: string;
  readonly value: string;
}

interface TagChipsProps {
  readonly tags: readonly Tag[];
  /** Takes one away, by a cross on each that says so. */
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
