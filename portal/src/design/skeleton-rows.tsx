/** Placeholder rows, as high as the rows being loaded, so that nothing jumps. */
import layout from './layout.module.css';
import styles from './skeleton-rows.module.css';
import { useDesignWords } from './texts.ts';

const widths = ['42%', '61%', '35%', '54%', '47%', '66%', '38%', '58%'];

export function SkeletonRows({
  count = 6,
  height = '3.25rem',
}: {
  readonly count?: number;
  readonly height?: string;
}) {
  const words = useDesignWords();
  return (
    <div role="status" aria-label={words.loading}>
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all alike, and none ever moves
        <div key={index} className={`${styles.row} ${layout.row} ${layout.apart}`} style={{ height }}>
          <span style={{ width: widths[index % widths.length] }} />
          <span style={{ width: '5rem' }} />
        </div>
      ))}
    </div>
  );
}
