/**
 * `npm run docs:answers`: makes the calls of the documentation on a new server and keeps their answers, which the pages at
 * `/docs` show. `test/house/docs.test.ts` fails while a call has none, or one that no longer has the fields that it describes.
 */
import { writeFileSync } from 'node:fs';
import { startDemo } from '../test/harness/demo.ts';
import { arrive, documentedCalls, prepared, sendDocumented } from '../test/harness/documented-calls.ts';

/** Of lists and files only the beginning is kept, and of long texts. */
const maxItems = 2;
const maxLines = 4;
const maxLength = 400;

const demo = await startDemo();
try {
  await arrive(demo, '46701740605', 'Hi there');
  const answers: Record<string, string> = {};
  for (const call of await documentedCalls(demo)) {
    const { status, text } = await sendDocumented(demo, call, (await prepared[call.path]?.(demo)) ?? {});
    if (status >= 300) throw new Error(`${call.method} ${call.path}: ${status} ${text}`);
    answers[call.operation.operationId] = beginningOf(text);
  }
  const sorted = Object.fromEntries(Object.entries(answers).sort(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(new URL('docs/answers.json', import.meta.url), `${JSON.stringify(sorted, undefined, 2)}\n`);
} finally {
  await demo.app.close();
}

function beginningOf(answer: string): string {
  try {
    return JSON.stringify(shortened(JSON.parse(answer)));
  } catch {
    return answer.split('\n').slice(0, maxLines).join('\n').slice(0, maxLength);
  }
}

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, maxItems).map(shortened);
  if (typeof value === 'string') return value.length > maxLength ? `${value.slice(0, maxLength)}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]));
}
