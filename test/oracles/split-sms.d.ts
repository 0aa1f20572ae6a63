/** What the tests and benchmarks use of the package `split-sms`, which brings no types. */
declare module 'split-sms' {
  export function split(
    message: string,
    options?: { summary?: boolean; characterset?: 'GSM' | 'Unicode' },
  ): {
    characterSet: 'GSM' | 'Unicode';
    parts: { content: string; length: number; bytes: number }[];
    bytes: number;
    length: number;
    remainingInPart: number;
  };
}
