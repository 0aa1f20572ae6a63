/** Writes the documents that are generated from the source; `test/house/docs.test.ts` fails while they are out of date. */
import { writeFileSync } from 'node:fs';
import { generatedDocuments } from './docs/generated-documents.ts';

const root = new URL('../', import.meta.url);

for (const [path, text] of generatedDocuments()) {
  writeFileSync(new URL(path, root), text);
  console.log(path);
}
