import { expect, test } from 'vitest';
import { verbs } from '../../src/app/verbs.ts';
import { parsedSources } from './sources.ts';

/** A resource's verbs are named by its declaration and come with it. */
const declaration = /\b(?:readVerb|snapshotVerb|writeVerb|singleWriteVerb)(?:<[^()]*>)?\(\s*'([\w.]+)'/g;

test('[RUN-1] The threads of the store know every verb that is declared', () => {
  const declared = parsedSources('src')
    .filter(({ path }) => !path.endsWith('.test.ts'))
    .flatMap(({ text }) => [...text.matchAll(declaration)].map(([, name = '']) => name));
  expect(declared).toContain('storage.purgeAged');
  expect(declared.filter((name) => !verbs.has(name))).toEqual([]);
});
