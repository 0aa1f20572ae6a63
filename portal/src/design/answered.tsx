/** Shows one answer of the server: placeholder rows until it arrives, the reason if it can't be read, or its content. */
import type { ReactNode } from 'react';
import type { Fault } from '../api/fault.ts';
import { FaultNotice } from './notice.tsx';
import { SkeletonRows } from './skeleton-rows.tsx';

interface AnsweredProps<Answer> {
  /** The result of `useRead`. */
  readonly read: {
    readonly data: Answer | undefined;
    readonly error: Fault | null;
    readonly refetch: () => unknown;
  };
  /** The number of placeholder rows. */
  readonly rows?: number;
  readonly children: (answer: Answer) => ReactNode;
}

/** If an answer can't be read again, the previous answer stays, below the reason. */
export function Answered<Answer>({ read, rows = 6, children }: AnsweredProps<Answer>) {
  const { data, error, refetch } = read;
  return (
    <>
      <FaultNotice fault={error} tryAgain={() => void refetch()} />
      {data === undefined ? error === null && <SkeletonRows count={rows} /> : children(data)}
    </>
  );
}
