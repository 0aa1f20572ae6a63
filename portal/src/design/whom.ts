/** Says in words to whom something was sent: names of groups and filters, and how many single numbers. */
import { plural, wordsOf } from '../words/words.ts';

interface Whom {
  readonly groups: readonly string[];
  readonly filters: readonly string[];
  readonly tags: string;
  readonly numbers: number;
}

const useWhomWords = wordsOf({ numbers: plural(['# number', '# numbers'], ['# nummer', '# nummer']) });

/** Returns the words for one sending, such as `Nurses ward 7, role:nurse, 3 numbers`. */
export function useWhom(): (whom: Whom | undefined) => string {
  const words = useWhomWords();
  return (whom) => {
    if (whom === undefined) return '';
    const { groups, filters, tags, numbers } = whom;
    const names = [...groups, ...filters, ...(tags === '' ? [] : [tags])];
    return [...names, ...(numbers === 0 ? [] : [words.numbers(numbers)])].join(', ');
  };
}
