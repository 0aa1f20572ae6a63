/**
 * A refusal must be a sentence of the dictionary if it has values, or if the words for its code do not say enough: of a plain
 * text, Swedish readers get only what the code means. The exceptions are listed here with their audience.
 */
import type { Node, SourceFile, StringLiteral } from 'typescript/unstable/ast';
import {
  isCallExpression,
  isIdentifier,
  isNewExpression,
  isObjectLiteralExpression,
  isPropertyAssignment,
  isShorthandPropertyAssignment,
  isStringLiteral,
  isTemplateExpression,
} from 'typescript/unstable/ast/is';
import { expect, test } from 'vitest';
import { catalogue } from '../../src/foundation/errors.ts';
import { parsed } from './sources.ts';

/** The codes whose Swedish sentence does not say which, where or how many. */
const begun = new Set<string>([
  ...['bad_json', 'bad_encoding', 'bad_request', 'invalid_type', 'invalid_value', 'unknown_parameter'],
  ...[
    'duplicate_parameter',
    'conflicting_parameters',
    'no_pool_number',
    'invalid_tag_filter',
    'unknown_tag_filter',
  ],
  ...[
    'unknown_group',
    'text_too_long',
    'invalid_time',
    'conversation_over',
    'too_many_parts',
    'rate_exceeded',
  ],
  ...['domain_not_allowed', 'not_started', 'run_ended', 'not_for_job_type', 'in_use', 'taken', 'too_late'],
  ...['sender_not_allowed', 'sender_not_yours', 'body_too_large'],
]);

/** Folders whose texts nobody gets in Swedish. */
const ofPrograms: Readonly<Record<string, string>> = {
  'src/app/': 'the socket of the operator',
  'src/email/gateway/': 'answers to mail servers',
  'src/email/smtp/': 'answers to mail servers',
};

const contract = 'only calls of the API contract, which are answered in English';
const command = 'only commands';
const code = 'the words for the code say as much';

/** The number of plain texts in each file, and why they are allowed. */
const others: Readonly<Record<string, readonly [count: number, why: string]>> = {
  'src/accounts/administer-users.ts': [2, command],
  'src/accounts/api-keys.ts': [4, 'calls of the API contract, and commands'],
  'src/accounts/password.ts': [1, 'the length is judged before'],
  'src/batches/intake/recipient.ts': [1, contract],
  'src/batches/reading/statuses.ts': [1, contract],
  'src/contacts/address-book.ts': [2, command],
  'src/contacts/csv.ts': [1, command],
  'src/contacts/selection-parameters.ts': [1, contract],
  'src/email/proof/recorded-dns.ts': [1, command],
  'src/http/answers/error-response.ts': [2, code],
  'src/http/gate/gate.ts': [1, 'what is not an HTTP request names no language'],
  'src/http/gate/probes.ts': [2, 'paths for monitoring, which answer in English'],
  'src/jobs/management/job-endpoints.ts': [1, 'the problem is a sentence'],
  'src/messages/sending/parameters.ts': [1, contract],
  'src/messages/sending/send-errors.ts': [1, 'in Swedish, too, it is followed by the reason'],
};

test('[CONV-14] [PORT-5] A refusal that has values, or whose error code says too little, has a sentence in every language', () => {
  const found = parsed(['src'], (path, file) => ({ path, lines: plainIn(file) })).filter(
    ({ path, lines }) => lines.length > 0 && !path.endsWith('.test.ts'),
  );
  const folders = Object.keys(ofPrograms);
  for (const folder of folders) expect(found.some(({ path }) => path.startsWith(folder))).toBe(true);
  const rest = found.filter(({ path }) => !folders.some((folder) => path.startsWith(folder)));
  const wrong = rest.filter(({ path, lines }) => lines.length !== others[path]?.[0]);
  expect(wrong).toEqual([]);
  const stale = Object.keys(others).filter((known) => !rest.some(({ path }) => path === known));
  expect(stale).toEqual([]);
});

/** The lines in which a code comes with a plain text. */
function plainIn(file: SourceFile): number[] {
  const lines: number[] = [];
  const visit = (node: Node): void => {
    if (isPlain(node, file)) lines.push(file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1);
    node.forEachChild(visit);
  };
  visit(file);
  return lines;
}

function isPlain(node: Node, file: SourceFile): boolean {
  if (isObjectLiteralExpression(node)) {
    const { code, error, values } = propertiesOf(node, file);
    return isCode(code) && error !== undefined && values === undefined && saysMore(code, error, file);
  }
  if (!isCallExpression(node) && !isNewExpression(node)) return false;
  const made = /^(?:fault|refusal|ServiceError)$/.test(node.expression.getText(file));
  const added = /\b[fF]aults\.add$/.test(node.expression.getText(file));
  if (!made && !added) return false;
  const [code, said, more] = [...(node.arguments ?? [])].slice(added ? 1 : 0);
  if (!isCode(code) || said === undefined || !saysMore(code, said, file)) return false;
  const name = /^\w+/.exec(said.getText(file))?.[0] ?? '';
  if (/\b[sS]entence\b/.test(said.getText(file)) || sentenceNames(file).has(name)) return false;
  // A `values` property means that the text is a sentence of the dictionary, written in place.
  return more === undefined || (isObjectLiteralExpression(more) && !propertiesOf(more, file).values);
}

function isCode(node: Node | undefined): node is StringLiteral {
  return node !== undefined && isStringLiteral(node) && Object.hasOwn(catalogue, node.text);
}

/** Whether a plain text says more than the words for its code. */
function saysMore({ text: code }: StringLiteral, said: Node, file: SourceFile): boolean {
  const isFilled = isTemplateExpression(said) || (isIdentifier(said) && filledNames(file).has(said.text));
  return begun.has(code) || isFilled;
}

/** Constants that hold a text with values. */
function filledNames(file: SourceFile): ReadonlySet<string> {
  const names = [...file.text.matchAll(/\bconst (\w+) =\s*`[^`]*\$\{/g)].map(([, name]) => String(name));
  return new Set(names);
}

function propertiesOf(node: Node, file: SourceFile): Readonly<Record<string, Node | undefined>> {
  const properties: Record<string, Node> = {};
  node.forEachChild((child) => {
    if (isPropertyAssignment(child)) properties[child.name.getText(file)] = child.initializer;
    if (isShorthandPropertyAssignment(child)) properties[child.name.getText(file)] = child.name;
  });
  return properties;
}

/** What holds or makes a sentence: `const said = { sentence: … }`, `said: Sentence`, `said(…): Sentence`. */
function sentenceNames(file: SourceFile): ReadonlySet<string> {
  const forms =
    /\bconst (\w+) = \{\s*sentence:|\b(\w+)(?:\([^)]*\))?: (?:string \| )?Sentence\b|\bconst (\w+) = \([^)]*\): Sentence\b/g;
  const names = [...file.text.matchAll(forms)].flatMap((found) => found.slice(1));
  return new Set(names.filter((name) => name !== undefined));
}
