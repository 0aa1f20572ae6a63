/**
 * The build of the pages for one language: it keeps only that language's text of each pair (decision 93). What it cannot
 * read ends the build, so that no text of another language slips through.
 */
import type { Plugin } from 'vite';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

type Place = 0 | 1;

const places = { en: 0, sv: 1 } as const;
export type BuiltLanguage = keyof typeof places;

export function isBuiltLanguage(name: string): name is BuiltLanguage {
  return name in places;
}

/** What makes texts of pairs, by the file that it is imported from. */
const makers = [
  [/words[/\\]words\.ts$|^\.\/words\.ts$/, ['wordsOf', 'plural']],
  [/routing[/\\]page\.ts$/, ['page']],
] as const;

export function oneLanguage(language: BuiltLanguage): Plugin {
  return {
    name: 'one-language',
    config: () => ({ define: { 'import.meta.env.LANGUAGE': JSON.stringify(language) } }),
    transform(code, id) {
      if (!/portal[/\\]src[/\\].*\.tsx?$/.test(id)) return null;
      const tree = this.parse(code) as Node;
      if (![...nodesIn(tree)].some(isImportOfMaker)) return null;
      try {
        return { code: inOneLanguage(code, tree, places[language]), map: null };
      } catch (error) {
        throw new Error(`${id}: ${(error as Error).message}`);
      }
    },
    transformIndexHtml: (html) =>
      html
        .replace('<html lang="en">', `<html lang="${language}">`)
        .replace(/ *<noscript lang="(\w+)">.*<\/noscript>\n/g, (noscript, of) =>
          of === language ? noscript : '',
        ),
  };
}

/** Takes out the text at the other place of each pair, and the brackets around the two. */
function inOneLanguage(code: string, tree: Node, place: Place): string {
  const removed: (readonly [start: number, end: number])[] = [];
  const dropped = new Set<string>();
  const keep = (nodes: readonly (Node | null)[], whole: Pick<Node, 'start' | 'end'>, what: string) => {
    const kept = nodes[place];
    const other = nodes[1 - place];
    if (nodes.length !== 2 || !kept || !other)
      throw new Error(`${what} is not a pair: ${textOf(code, whole)}`);
    removed.push([whole.start, kept.start], [kept.end, whole.end]);
    return other;
  };
  const constants = new Map<string, Node>();
  for (const node of nodesIn(tree)) {
    if (isCallOf(node, 'plural')) {
      const [first, last] = [node.arguments[0], node.arguments.at(-1)];
      if (!first || !last) throw new Error(`a plural has no forms: ${textOf(code, node)}`);
      keep(node.arguments, { start: first.start, end: last.end }, 'a plural');
    }
    if (!isOf<{ id: Node; init: Node | null }>(node, 'VariableDeclarator') || !node.init) continue;
    if (!isOf<{ elements: readonly (Node | null)[] }>(node.id, 'ArrayPattern'))
      constants.set(textOf(code, node.id), node.init);
    else if (isCallOf(node.init, 'plural'))
      dropped.add(textOf(code, keep(node.id.elements, node.id, 'what a plural is taken apart into')));
  }
  /** A text: a pair, a plural, the name of one, or, in a list of words, a list of further texts. */
  const prune = (value: Node, isList: boolean): void => {
    const constant = value.type === 'Identifier' ? constants.get(textOf(code, value)) : undefined;
    if (constant !== undefined) prune(constant, isList);
    else if (isOf<{ elements: readonly (Node | null)[] }>(value, 'ArrayExpression'))
      keep(value.elements, value, 'a text');
    else if (isList && isOf<{ properties: readonly Node[] }>(value, 'ObjectExpression'))
      for (const one of value.properties) {
        if (!isOf<{ value: Node }>(one, 'Property'))
          throw new Error(`texts are added by ${textOf(code, one)}`);
        prune(one.value, true);
      }
    else if (!isCallOf(value, 'plural'))
      throw new Error(`the text is not written as a pair: ${textOf(code, value)}`);
  };
  for (const node of nodesIn(tree)) {
    if (isCallOf(node, 'wordsOf')) for (const texts of node.arguments) prune(texts, true);
    if (isCallOf(node, 'page'))
      for (const inNavigation of valuesOf(node, 'place', code))
        for (const name of valuesOf(inNavigation, 'name', code)) prune(name, false);
  }
  const isRemoved = (node: Node) => removed.some(([start, end]) => start <= node.start && node.end <= end);
  for (const node of nodesIn(tree, isRemoved))
    if (node.type === 'Identifier' && dropped.has(textOf(code, node)))
      throw new Error(`${textOf(code, node)} is of another language than the text that uses it`);
  return without(code, removed);
}

function without(code: string, removed: readonly (readonly [start: number, end: number])[]): string {
  let [left, at] = ['', 0];
  for (const [start, end] of [...removed].sort(([one], [other]) => one - other)) {
    left += code.slice(at, Math.max(at, start));
    at = Math.max(at, end);
  }
  return left + code.slice(at);
}

/** The values of all properties with this name within a node. */
function valuesOf(node: Node, name: string, code: string): readonly Node[] {
  const isWanted = (one: Node) =>
    isOf<{ key: Node; value: Node }>(one, 'Property') && textOf(code, one.key) === name;
  return [...nodesIn(node)].filter(isWanted).map((one) => (one as Node & { value: Node }).value);
}

function textOf(code: string, { start, end }: Pick<Node, 'start' | 'end'>): string {
  return code.slice(start, end);
}

function isOf<Fields>(node: Node | null, type: string): node is Node & Fields {
  return node?.type === type;
}

function isCallOf(node: Node | null, name: string): node is Node & { readonly arguments: readonly Node[] } {
  return isOf<{ callee: Node & { name?: string } }>(node, 'CallExpression') && node.callee.name === name;
}

function isImportOfMaker(node: Node): boolean {
  if (!isOf<{ source: { value: string }; specifiers: readonly Imported[] }>(node, 'ImportDeclaration'))
    return false;
  const [, names] = makers.find(([file]) => file.test(node.source.value)) ?? [undefined, []];
  const made = node.specifiers.filter(({ imported }) =>
    (names as readonly string[]).includes(imported?.name ?? ''),
  );
  const renamed = made.find(({ imported, local }) => imported?.name !== local.name);
  if (renamed !== undefined)
    throw new Error(`${node.source.value} is imported under another name, ${renamed.local.name}`);
  return made.length > 0;
}

interface Imported {
  readonly imported?: { readonly name: string };
  readonly local: { readonly name: string };
}

/** The node and all nodes within it. Names of properties are left out, as they refer to nothing. */
function* nodesIn(node: Node, isLeftOut: (node: Node) => boolean = () => false): Generator<Node> {
  if (isLeftOut(node)) return;
  yield node;
  for (const [field, value] of Object.entries(node))
    for (const one of Array.isArray(value) ? value : [value])
      if (typeof one?.type === 'string' && !isNameOfProperty(node, field)) yield* nodesIn(one, isLeftOut);
}

function isNameOfProperty(node: Node, field: string): boolean {
  const isNamed =
    isOf<{ computed: boolean }>(node, 'Property') || isOf<{ computed: boolean }>(node, 'MemberExpression');
  return isNamed && !node.computed && (field === 'key' || field === 'property');
}
