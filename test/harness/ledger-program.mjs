/**
 * `node ledger-program.mjs FOLDER`: builds, in that folder, the server that records what its carriers are handed
 * (`carrier-ledger.ts`). The ledger is bundled with the server, since it changes the server's classes.
 */
import { copyFileSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle, compile } from '../../scripts/bundle.mjs';

const project = fileURLToPath(new URL('../../', import.meta.url));
const [, , folder] = process.argv;
const draft = `${folder}.draft`;
const dist = join(draft, 'dist');

mkdirSync(dist, { recursive: true });
await bundle(dist, "require('./test/harness/carrier-ledger-hook.ts');\nrequire('./src/main.ts');");
copyFileSync(join(project, 'package.json'), join(draft, 'package.json'));
symlinkSync(join(project, 'dist', 'pages'), join(dist, 'pages'));
const fault = await compile(dist);
if (fault !== undefined) throw new Error(`the program does not start: ${fault}`);
renameSync(draft, folder);
