/** Writes the documents that follow from the source; `test/house/docs.test.ts` fails while they do not. */
import { writeFileSync } from 'node:fs';
import { generatedDocuments } from './docs/generated-documents.ts';

const root = new URL('../', import.meta.url);

for (const [path, text] of generatedDocuments()) {
  writeFileSync(new URL(path, root), text);
  console.log(path);
}
