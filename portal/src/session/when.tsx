/** When a key or a session was created or last used, in a list. */
import layout from '../design/layout.module.css';
import { Time } from '../design/time.tsx';
import { useSessionWords } from './texts.ts';

export function When({ at }: { readonly at: string | undefined }) {
  const words = useSessionWords();
  return at === undefined ? (
    words.never
  ) : (
    <span className={layout.wraps}>
      <Time at={at} />
    </span>
  );
}
