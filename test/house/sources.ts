/** The project's own TypeScript, parsed by the compiler that also checks it; the rules in test/house are tested on this. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Node, SourceFile } from 'typescript/unstable/ast';
import {
  isArrowFunction,
  isCallExpression,
  isConstructorDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isMethodDeclaration,
  isNewExpression,
  isRegularExpressionLiteral,
  isStringLiteral,
} from 'typescript/unstable/ast/is';
import { API } from 'typescript/unstable/sync';

export interface SourceFunction {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

/** A regular expression written as a literal or built from a string. */
export interface SourceExpression {
  readonly line: number;
  /** Undefined if the expression is built from a string. */
  readonly literal: { readonly source: string; readonly flags: string } | undefined;
  /** True if it is outside any function, so it is built when the file is loaded. */
  readonly isAtTop: boolean;
}

export interface Source {
  /** Relative to the project's root, such as `src/app/app.ts`. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  /** Project files that it names by relative path, to import, re-export or start them. */
  readonly uses: readonly { readonly path: string; readonly line: number }[];
  readonly functions: readonly SourceFunction[];
  readonly expressions: readonly SourceExpression[];
}

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** All files below a folder of the project, as paths from its root. */
export function filesBelow(folder: string): string[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

/** Parses and describes the TypeScript files below the folders. */
export function parsedSources(...folders: readonly string[]): Source[] {
  return parsed(folders, described);
}

/** Returns what `look` finds in each TypeScript file below the folders, as parsed by the compiler. */
export function parsed<Found>(
  folders: readonly string[],
  look: (path: string, file: SourceFile) => Found,
): Found[] {
  const api = new API({ cwd: root });
  try {
    const settings = ['tsconfig.json', 'portal/tsconfig.json'].map((path) => join(root, path));
    const projects = api.updateSnapshot({ openProjects: settings }).getProjects();
    const paths = folders
      .flatMap(filesBelow)
      .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'));
    return paths.map((path) => {
      const [file] = projects.flatMap(({ program }) => program.getSourceFile(join(root, path)) ?? []);
      if (file === undefined) throw new Error(`${path} is not part of a project of the compiler`);
      return look(path, file);
    });
  } finally {
    api.close();
  }
}

function described(path: string, file: SourceFile): Source {
  const text = readFileSync(join(root, path), 'utf8');
  const uses: { path: string; line: number }[] = [];
  const functions: SourceFunction[] = [];
  const expressions: SourceExpression[] = [];
  const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line + 1;
  const visit = (node: Node, isAtTop: boolean): void => {
    if (isStringLiteral(node) && /^\.\.?\/.*\.tsx?$/.test(node.text)) {
      const used = relative(root, join(root, dirname(path), node.text));
      uses.push({ path: used, line: lineOf(node.getStart(file)) });
    }
    if (isFunction(node)) {
      const line = lineOf(node.getStart(file));
      functions.push({ name: nameOf(node, file), line, lines: lineOf(node.end) - line + 1 });
    }
    if (isRegularExpressionLiteral(node) || makesExpression(node, file)) {
      const line = lineOf(node.getStart(file));
      expressions.push({ line, literal: literalOf(node), isAtTop });
    }
    const isInside = isAtTop && !isFunction(node);
    node.forEachChild((child) => visit(child, isInside));
  };
  visit(file, true);
  return { path, text, lines: text.trimEnd().split('\n').length, uses, functions, expressions };
}

function isFunction(node: Node): boolean {
  return (
    isFunctionDeclaration(node) ||
    isFunctionExpression(node) ||
    isArrowFunction(node) ||
    isMethodDeclaration(node) ||
    isConstructorDeclaration(node)
  );
}

function makesExpression(node: Node, file: SourceFile): boolean {
  return (isNewExpression(node) || isCallExpression(node)) && node.expression.getText(file) === 'RegExp';
}

function literalOf(node: Node): SourceExpression['literal'] {
  if (!isRegularExpressionLiteral(node)) return undefined;
  const end = node.text.lastIndexOf('/');
  return { source: node.text.slice(1, end), flags: node.text.slice(end + 1) };
}

/** An anonymous function takes the name of the property or constant that holds it. */
function nameOf(node: Node, file: SourceFile): string {
  for (const named of [node, node.parent]) {
    const { name } = named as Node & { readonly name?: Node };
    if (name !== undefined) return name.getText(file);
  }
  return 'a function without a name';
}
