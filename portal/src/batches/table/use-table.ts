/** The pasted or chosen table, as read by the worker; it ends with the page. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { TableRow } from './read-rows.ts';
import type { Ask, Edits, Mapping, ReadFault, Reply, Table, Written } from './table.ts';

/** Applies `Omit` to each member of a union. */
type WithoutId<Each> = Each extends unknown ? Omit<Each, 'id'> : never;

export class TableError extends Error {
  readonly fault: ReadFault;

  constructor(fault: ReadFault) {
    super(fault.kind);
    this.fault = fault;
  }
}

export type TableState =
  | { readonly kind: 'none' }
  | { readonly kind: 'reading' }
  | { readonly kind: 'fault'; readonly fault: ReadFault }
  | { readonly kind: 'read'; readonly table: Table; readonly file: Blob };

export function useTable() {
  const [state, setState] = useState<TableState>({ kind: 'none' });
  const worker = useRef<Worker | undefined>(undefined);
  const latest = useRef(0);
  useEffect(() => () => worker.current?.terminate(), []);

  const ask = useCallback((question: WithoutId<Ask>): Promise<Reply> => {
    const reader = worker.current ?? new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    worker.current = reader;
    latest.current += 1;
    const id = latest.current;
    return new Promise((resolve, reject) => {
      const listen = ({ data }: MessageEvent<Reply>) => {
        if (data.id !== id) return;
        reader.removeEventListener('message', listen);
        resolve(data);
      };
      reader.addEventListener('message', listen);
      reader.addEventListener('error', () => reject(new TableError({ kind: 'unreadable', line: 0 })), {
        once: true,
      });
      reader.postMessage({ ...question, id });
    });
  }, []);

  const read = useCallback(
    async (file: Blob, hasHeader?: boolean) => {
      setState({ kind: 'reading' });
      const reply = await ask({ kind: 'look', file, hasHeader });
      // Something else has been pasted meanwhile.
      if (reply.id !== latest.current) return;
      if ('fault' in reply) setState({ kind: 'fault', fault: reply.fault });
      else if ('table' in reply) setState({ kind: 'read', table: reply.table, file });
    },
    [ask],
  );

  const write = useCallback(
    async (file: Blob, table: Table, mapping: Mapping, fields: string, edits: Edits): Promise<Written> => {
      const reply = await ask({ kind: 'write', file, table, mapping, fields, edits });
      if ('fault' in reply) throw new TableError(reply.fault);
      if ('written' in reply) return reply.written;
      throw new Error('the worker answered another question');
    },
    [ask],
  );

  const pick = useCallback(
    async (
      file: Blob,
      table: Table,
      lines: readonly number[],
      edits: Edits,
    ): Promise<readonly TableRow[]> => {
      const reply = await ask({ kind: 'pick', file, table, lines, edits });
      if ('fault' in reply) throw new TableError(reply.fault);
      if ('rows' in reply) return reply.rows;
      throw new Error('the worker answered another question');
    },
    [ask],
  );

  return { state, read, write, pick, forget: useCallback(() => setState({ kind: 'none' }), []) };
}
