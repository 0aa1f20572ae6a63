import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { presets } from '../carriers/http/presets.ts';
import { faultLine } from '../yaml/fault.ts';
import { readRecordings } from './recordings.ts';

test('[HTTPC-1] The documentation of presets gives the least that each needs, and its limits', async () => {
  const page = readFileSync('docs/http-carriers.md', 'utf8');
  const [, section = ''] = /^## Presets\n([\s\S]*?)^## /m.exec(page) ?? [];
  const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(section) ?? [];
  const read = await readRecordings(`${example}recorded: []\n`);
  expect('faults' in read ? read.faults.map(faultLine) : []).toEqual([]);
  const shown = [...example.matchAll(/preset: ([\w-]+)/g)].map(([, name]) => name);
  const explained = [...section.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
  for (const names of [shown, explained]) expect(names).toEqual(Object.keys(presets));
});
