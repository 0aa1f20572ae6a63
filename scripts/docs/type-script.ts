/** Writes the example of a call as a program in TypeScript, with nothing but `fetch`. */
import type { Endpoint, Method } from '../../src/http/endpoints/endpoint.ts';
import { takesBody } from '../../src/http/request-context.ts';
import { pathOfExample } from './api-page.ts';
import type { Schema } from './schema-words.ts';

export function typeScriptOf<Caller>(endpoint: Endpoint<Caller>, method: Method): string {
  const { credentials, example = {}, body, answer, isIdempotent } = endpoint;
  const sent = body === 'lines' ? example.lines : example.json;
  const hasBody = takesBody(method) && sent !== undefined;
  const headers = [
    credentials.apiKey
      ? `'X-API-Key': process.env.CARILLON_KEY,`
      : `Authorization: \`Basic \${btoa(\`\${process.env.CARILLON_USER}:\${process.env.CARILLON_PASSWORD}\`)}\`,`,
    ...(isIdempotent === true ? [`'Idempotency-Key': crypto.randomUUID(),`] : []),
  ];
  return [
    `const answer = await fetch(\`\${process.env.CARILLON_URL}${pathOfExample(endpoint, method)}\`, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    ...headers.map((one) => `    ${one}`),
    '  },',
    ...(hasBody ? [`  body: ${typeof sent === 'string' ? JSON.stringify(sent) : bodyOf(sent)},`] : []),
    '});',
    'if (!answer.ok) throw new Error((await answer.json()).error);',
    readingOf(endpoint, answer as Schema),
  ].join('\n');
}

function bodyOf(json: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(json, undefined, 2).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:');
  return `JSON.stringify(${text.replaceAll('\n', '\n  ')})`;
}

function readingOf<Caller>({ answersCsv, answersLines }: Endpoint<Caller>, schema: Schema): string {
  if (answersCsv === true || answersLines === true) return 'const text = await answer.text();';
  const fields = Object.keys(schema.properties ?? {}).slice(0, 3);
  return fields.length === 0
    ? 'const value = await answer.json();'
    : `const { ${fields.join(', ')} } = await answer.json();`;
}
