/** The tags of a person, as small labels: of the type quietly, of the value plainly. */
import styles from './people.module.css';

export interface Tag {
  readonly type: string;
  readonly value: string;
}

export function TagChips({ tags }: { readonly tags: readonly Tag[] }) {
  return (
    <span className={styles.chips}>
      {tags.map((tag) => (
        <TagChip key={`${tag.type}:${tag.value}`} {...tag} />
      ))}
    </span>
  );
}

export function TagChip({ type, value }: Tag) {
  return (
    <span className={styles.chip}>
      <bdi className={styles.type}>{type}</bdi> <bdi>{value}</bdi>
    </span>
  );
}
