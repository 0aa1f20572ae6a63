/**
 * A refusal that portal users see must be a sentence of the dictionary wherever the words for its code do not say enough,
 * because plain text would appear in English on the Swedish page. The remaining exceptions are listed here with their
 * audience.
 */
import type { Node, SourceFile } from 'typescript/unstable/ast';
import {
  isCallExpression,
  isIdentifier,
  isNewExpression,
  isObjectLiteralExpression,
  isPropertyAssignment,
  isShorthandPropertyAssignment,
  isStringLiteral,
} from 'typescript/unstable/ast/is';
import { expect, test } from 'vitest';
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
  ...['sender_not_allowed', 'sender_not_yours', 'unauthorised', 'missing_parameter', 'body_too_large'],
]);

/** Folders that serve only programs and operators. */
const ofPrograms: Readonly<Record<string, string>> = {
  'src/http/': 'the form of calls, which the pages always keep',
  'src/app/': 'the socket of the operator',
};

const programs = 'only calls that the pages never make';
const choices = 'the pages offer what can be chosen';

/** The number of plain texts in each file, and why they are allowed. */
const others: Readonly<Record<string, readonly [count: number, why: string]>> = {
  'src/accounts/api-keys.ts': [1, programs],
  'src/accounts/password.ts': [1, 'the length is judged before'],
  'src/accounts/unauthorised.ts': [1, 'what people type at the sign-in has words of its own'],
  'src/administration/audit-endpoints.ts': [1, choices],
  'src/administration/company-user-endpoints.ts': [1, choices],
  'src/administration/company-user-store.ts': [1, 'what holds a user, as the rules of removal tell it'],
  'src/batches/intake/endpoints.ts': [1, programs],
  'src/batches/intake/recipient.ts': [3, programs],
  'src/batches/reading/statuses.ts': [1, programs],
  'src/contacts/address-book.ts': [2, 'programs and commands'],
  'src/contacts/contact.ts': [1, 'passes on what is a sentence or a fault of tags'],
  'src/contacts/csv.ts': [2, 'faults of rows, which the preview shows in English'],
  'src/contacts/import/read-file.ts': [2, 'one passes on sentences; what columns lack stands beside them'],
  'src/contacts/select-recipients.ts': [1, programs],
  'src/contacts/selection-parameters.ts': [1, programs],
  'src/email/proof/recorded-dns.ts': [1, 'a command'],
  'src/foundation/if-match.ts': [1, programs],
  'src/jobs/management/company-job-endpoints.ts': [1, 'passes on what is wrong with a tag'],
  'src/jobs/management/job-endpoints.ts': [1, 'what the call of the wire contract answers'],
  'src/jobs/management/run-endpoints.ts': [1, choices],
  'src/jobs/start-job.ts': [2, choices],
  'src/jobs/start-parameters.ts': [1, programs],
  'src/messages/conversations/thread-page.ts': [1, programs],
  'src/messages/management/search.ts': [3, choices],
  'src/messages/management/usage-endpoints.ts': [2, choices],
  'src/opt-outs/import-opt-outs.ts': [
    2,
    'one passes on sentences; the page shows the faults of rows by their causes',
  ],
  'src/messages/operator/cancel.ts': [1, 'one of two sentences'],
  'src/messages/sending/parameters.ts': [1, programs],
  'src/webhooks/management/webhook-api.ts': [3, choices],
  'src/wire/percent-decoding.ts': [3, programs],
  'src/wire/schedule-time.ts': [1, programs],
  'src/wire/tag-filter.ts': [1, 'the pages write the filter'],
};

test('[PORT-5] A refusal whose error code says too little has a sentence in every language', () => {
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
    return isBegun(code) && error !== undefined && values === undefined;
  }
  if (!isCallExpression(node) && !isNewExpression(node)) return false;
  const made = /^(?:fault|refusal|ServiceError)$/.test(node.expression.getText(file));
  const added = /\b[fF]aults\.add$/.test(node.expression.getText(file));
  if (!made && !added) return false;
  const [code, said, more] = [...(node.arguments ?? [])].slice(added ? 1 : 0);
  if (!isBegun(code) || said === undefined || isObjectLiteralExpression(said)) return false;
  if (isIdentifier(said) && sentenceNames(file).has(said.text)) return false;
  // A `values` property means that the text is a sentence of the dictionary, written in place.
  return more === undefined || (isObjectLiteralExpression(more) && !propertiesOf(more, file).values);
}

function isBegun(code: Node | undefined): boolean {
  return code !== undefined && isStringLiteral(code) && begun.has(code.text);
}

function propertiesOf(node: Node, file: SourceFile): Readonly<Record<string, Node | undefined>> {
  const properties: Record<string, Node> = {};
  node.forEachChild((child) => {
    if (isPropertyAssignment(child)) properties[child.name.getText(file)] = child.initializer;
    if (isShorthandPropertyAssignment(child)) properties[child.name.getText(file)] = child.name;
  });
  return properties;
}

/** Constants that hold a sentence: `const said = { sentence: … }`. */
function sentenceNames(file: SourceFile): ReadonlySet<string> {
  const names = [...file.text.matchAll(/\bconst (\w+) = \{\s*sentence:/g)].map(([, name]) => String(name));
  return new Set(names);
}
