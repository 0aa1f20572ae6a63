/**
 * No assertion depends on the speed of the machine: no assertion sets an upper bound, in milliseconds, on a measured
 * time.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node, SourceFile } from 'typescript/unstable/ast';
import {
  isCallExpression,
  isIdentifier,
  isNumericLiteral,
  isPropertyAccessExpression,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is';
import { expect, test } from 'vitest';
import { parsed, root } from './sources.ts';

/** Reads a clock, whether of the machine or of processor time. */
const clocks = /\b(?:Date\.now|performance\.now|awakeMs|computedMs|hrtime|cpuUsage)\b/;
const upperBounds = new Set(['toBeLessThan', 'toBeLessThanOrEqual', 'toBeCloseTo']);

/** Places where `expect` sets such a bound, as `file:line`. */
function boundsIn(path: string, file: SourceFile): readonly string[] {
  const measured = measuredIn(file);
  const found: string[] = [];
  visitAll(file, (node) => {
    if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return;
    const { name, expression } = node.expression;
    if (!upperBounds.has(name.text)) return;
    const [value] = argumentsOfExpect(expression);
    const [bound] = node.arguments;
    if (value === undefined || bound === undefined) return;
    const isMeasured =
      isDuration(value, file, measured) || (isNamedAsTime(value, file) && isNumber(bound, file));
    if (isMeasured) found.push(`${path}:${file.getLineAndCharacterOfPosition(node.end).line + 1}`);
  });
  return found;
}

/** `expect(value).not`, `expect(value)` */
function argumentsOfExpect(node: Node): readonly Node[] {
  if (isPropertyAccessExpression(node)) return argumentsOfExpect(node.expression);
  if (isCallExpression(node) && isIdentifier(node.expression) && node.expression.text === 'expect')
    return node.arguments;
  return [];
}

/** Names that hold a difference of two clock readings, or something derived from one. */
function measuredIn(file: SourceFile): ReadonlySet<string> {
  const measured = new Set<string>();
  for (let before = -1; before < measured.size; ) {
    before = measured.size;
    visitAll(file, (node) => {
      if (isVariableDeclaration(node) && isIdentifier(node.name) && node.initializer !== undefined) {
        if (isDuration(node.initializer, file, measured)) measured.add(node.name.text);
      }
      if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return;
      const { name, expression } = node.expression;
      if (
        name.text === 'push' &&
        isIdentifier(expression) &&
        node.arguments.some((one) => isDuration(one, file, measured))
      )
        measured.add(expression.text);
    });
  }
  return measured;
}

function isDuration(node: Node, file: SourceFile, measured: ReadonlySet<string>): boolean {
  const text = node.getText(file);
  if (text.includes('=>') || text.includes('function')) return false;
  if (clocks.test(text) && / - /.test(text)) return true;
  return [...text.matchAll(/(?<!\w|(?<!\.)\.)[A-Za-z_]\w*/g)].some(([name]) => measured.has(name));
}

function isNamedAsTime(node: Node, file: SourceFile): boolean {
  return /(?:Ms|\bms|\btook|[eE]lapsed|[lL]atenc(?:y|ies))\b/.test(node.getText(file));
}

/** Whether the bound is a plain number: a name in it would make it relative to something in the same run. */
function isNumber(node: Node, file: SourceFile): boolean {
  return isNumericLiteral(node) || /^[\d_\s*+().-]+$/.test(node.getText(file));
}

function visitAll(node: Node, visit: (node: Node) => void): void {
  visit(node);
  node.forEachChild((child) => visitAll(child, visit));
}

const examples = 'test/house/clock-examples.ts';
const all = parsed(['src', 'test'], boundsIn).flat();

test('The check finds upper bounds on measured times, and nothing else', () => {
  const lines = readFileSync(join(root, examples), 'utf8').split('\n');
  const wanted = lines.flatMap((line, index) =>
    line.endsWith('// found') ? [`${examples}:${index + 1}`] : [],
  );
  expect(wanted).toHaveLength(4);
  expect(all.filter((place) => place.startsWith(examples))).toEqual(wanted);
});

test('No assertion sets an upper bound on a measured time', () => {
  expect(all.filter((place) => !place.startsWith(examples))).toEqual([]);
});
