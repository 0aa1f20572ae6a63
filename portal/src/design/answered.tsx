/** What shows of one answer of the server: rows in its place until it is there, why it is not there, or what is made of it. */
import type { ReactNode } from 'react';
import type { Fault } from '../api/fault.ts';
import { FaultNotice } from './notice.tsx';
import { SkeletonRows } from './skeleton-rows.tsx';

interface AnsweredProps<Answer> {
  /** What `useRead` returns. */
  readonly read: {
    readonly data: Answer | undefined;
    readonly error: Fault | null;
    readonly refetch: () => unknown;
  };
  /** The number of rows that stand in for it. */
  readonly rows?: number;
  readonly children: (answer: Answer) => ReactNode;
}

/** Where it was there and can't be read again, what was there stays, below why. */
export function Answered<Answer>({ read, rows = 6, children }: AnsweredProps<Answer>) {
  const { data, error, refetch } = read;
  return (
    <>
      <FaultNotice fault={error} tryAgain={() => void refetch()} />
      {data === undefined ? error === null && <SkeletonRows count={rows} /> : children(data)}
    </>
  );
}
