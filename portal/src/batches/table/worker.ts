/** Reads tables in a worker, so that the page stays responsive. */
import { faultOf, lookAt, write } from './read-table.ts';
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
  return { id, written: await write(file, ask.table, ask.mapping, ask.fields) };
}
