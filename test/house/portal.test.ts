/** The portal has no unused styles or texts, and uses none that are missing. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesBelow, root } from './sources.ts';

const files = filesBelow('portal/src').map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}));
const code = files.filter(({ path }) => /\.tsx?$/.test(path) && !path.endsWith('texts.ts'));

const found = (text: string, expression: RegExp) =>
  new Set([...text.matchAll(expression)].map(([, name = '']) => name));

describe('the pages of the portal', () => {
  test('Each style class of the portal’s pages is used, and each class that is used exists', () => {
    const faults = files
      .filter(({ path }) => path.endsWith('.module.css'))
      .flatMap(({ path, text }) => {
        const name = path.slice(path.lastIndexOf('/') + 1);
        const users = code.flatMap((one) => {
          const [, sheet] = new RegExp(`import (\\w+) from '.*/${name}'`).exec(one.text) ?? [];
          return sheet === undefined ? [] : [{ sheet, text: one.text }];
        });
        const used = new Set(
          users.flatMap(({ sheet, text }) => [...found(text, new RegExp(`(?<!/)\\b${sheet}\\.(\\w+)`, 'g'))]),
        );
        // Classes looked up in a style sheet by a computed name.
        const looked = users.filter(({ sheet, text }) => text.includes(`${sheet}[`));
        const selectors = text.replace(/\/\*[^*]*\*\//g, '').replace(/\{[^{}]*\}/g, ' ');
        const made = found(selectors, /\.([a-zA-Z]\w*)/g);
        return [
          ...[...made]
            .filter((one) => !used.has(one) && !looked.some((user) => user.text.includes(`'${one}'`)))
            .map((one) => `${path}: nothing has the class ${one}`),
          ...[...used].filter((one) => !made.has(one)).map((one) => `${path} has no class ${one}`),
        ];
      });
    expect(faults).toEqual([]);
  });

  test('Each text in the word lists of the portal’s pages is used', () => {
    const faults = files
      .filter(({ path }) => path.endsWith('texts.ts'))
      .flatMap(({ path, text }) => {
        const room = code.filter((one) => one.path.startsWith(`${dirname(path)}/`)).map((one) => one.text);
        const said = found(room.join('\n'), /[.'](\w+)/g);
        return [...found(text.slice(text.indexOf('wordsOf(')), /^ {2}(\w+)[:,]/gm)]
          .filter((key) => !said.has(key))
          .map((key) => `${path}: nothing says ${key}`);
      });
    expect(faults).toEqual([]);
  });
});
