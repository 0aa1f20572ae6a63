/** Reads tables in a worker, so that the page stays responsive. */
import { faultOf, lookAt, pick, write } from './read-table.ts';
import type { Ask, Reply } from './table.ts';

self.onmessage = ({ data }: MessageEvent<Ask>) => {
  answer(data).then(
    (reply) => self.postMessage(reply),
    (error: unknown) => self.postMessage({ id: data.id, fault: faultOf(error) } satisfies Reply),
  );
};

async function answer(ask: Ask): Promise<Reply> {
  const { id, file } = ask;
  if (ask.kind === 'look') return { id, table: await lookAt(file, ask.hasHeader) };
  if (ask.kind === 'pick') return { id, rows: await pick(file, ask.table, ask.lines, ask.edits) };
  return { id, written: await write(file, ask.table, ask.mapping, ask.fields, ask.edits) };
}
