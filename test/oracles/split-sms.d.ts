/** Types for the parts of the untyped package `split-sms` that the tests and benchmarks use. */
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
