/** The files of the portal's pages as they were built, for each language. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { program } from './program.ts';

/** All files that the page of a language can ever load, by name: those that it names, those that these name, and so on. */
export function filesOfPages(language: 'en' | 'sv'): ReadonlyMap<string, string> {
  const pages = join(dirname(program()), 'pages');
  const assets = readdirSync(join(pages, 'assets')).filter((name) => !/\.(br|gz)$/.test(name));
  const files = new Map<string, string>();
  const follow = (text: string) => {
    for (const name of assets.filter((one) => !files.has(one) && text.includes(one))) {
      files.set(name, readFileSync(join(pages, 'assets', name), 'utf8'));
      follow(files.get(name) ?? '');
    }
  };
  follow(readFileSync(join(pages, `index.${language}.html`), 'utf8'));
  return files;
}
