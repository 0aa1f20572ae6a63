/** `tsx scripts/build-docs.ts FOLDER`: writes the pages at `/docs`, with compressed copies beside them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { allEndpoints } from './docs/generated-documents.ts';
import { docsSite } from './docs/site.ts';

const [, , folder = 'dist/docs'] = process.argv;
mkdirSync(folder, { recursive: true });
for (const [name, text] of docsSite(allEndpoints)) {
  const content = Buffer.from(text);
  writeFileSync(join(folder, name), content);
  writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content));
  writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
}
