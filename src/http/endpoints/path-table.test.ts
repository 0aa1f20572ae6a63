import { expect, test } from 'vitest';
import { namesInPath, PathTable } from './path-table.ts';

const table = new PathTable<string>();
for (const path of ['/a', '/a/{id}', '/a/{id}/cancel', '/a/latest', '/b/{user}/{name}'])
  table.add(path, path);

test.each([
  ['/a', '/a', {}],
  ['/a/12', '/a/{id}', { id: '12' }],
  ['/a/latest', '/a/latest', {}],
  ['/a/12/cancel', '/a/{id}/cancel', { id: '12' }],
  ['/b/x%2Fy/1+1%20', '/b/{user}/{name}', { user: 'x%2Fy', name: '1%2B1%20' }],
  ['/a/{id}', '/a/{id}', { id: '{id}' }],
])('[CONV-1] The path %s leads to the endpoint %s', (path, target, values) => {
  const found = table.find(path);
  expect(found?.target).toBe(target);
  expect(Object.fromEntries(found?.values ?? [])).toEqual(values);
});

test.each(['/a/', '/a//cancel', '/a/12/', '/a/12/other', '/b/x', '', '/', '//a'])(
  '[CONV-1] The path %s leads to no endpoint',
  (path) => {
    expect(table.find(path)).toBeUndefined();
  },
);

test('[CONV-2] The parameter names in a path are listed in its order', () => {
  expect(namesInPath('/b/{user}/{name}')).toEqual(['user', 'name']);
  expect(namesInPath('/a/latest')).toEqual([]);
});
