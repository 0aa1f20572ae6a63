#!/usr/bin/env node
/** The program `carillon`: runs what the build has made. */
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);

if (existsSync(main)) {
  await import(main.href);
} else {
  console.error('Carillon is not built yet. Run: npm run build');
  process.exitCode = 1;
}
