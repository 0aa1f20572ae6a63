/** The pasted or chosen table, as read by the worker; it ends with the page. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Ask, Mapping, ReadFault, Table, Told, Written } from './table.ts';

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

  const ask = useCallback((question: WithoutId<Ask>): Promise<Told> => {
    const reader = worker.current ?? new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    worker.current = reader;
    latest.current += 1;
    const id = latest.current;
    return new Promise((resolve, reject) => {
      const listen = ({ data }: MessageEvent<Told>) => {
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
      const told = await ask({ kind: 'look', file, hasHeader });
      // Something else has been pasted meanwhile.
      if (told.id !== latest.current) return;
      if ('fault' in told) setState({ kind: 'fault', fault: told.fault });
      else if ('table' in told) setState({ kind: 'read', table: told.table, file });
    },
    [ask],
  );

  const write = useCallback(
    async (file: Blob, table: Table, mapping: Mapping, fields: string): Promise<Written> => {
      const told = await ask({ kind: 'write', file, table, mapping, fields });
      if ('fault' in told) throw new TableError(told.fault);
      if ('written' in told) return told.written;
      throw new Error('the worker answered another question');
    },
    [ask],
  );

  return { state, read, write, forget: useCallback(() => setState({ kind: 'none' }), []) };
}
