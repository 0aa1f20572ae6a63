/** Generates the page that lists every error code, from the catalogue. */
import { STATUS_CODES } from 'node:http';
import { catalogue } from '../../src/foundation/errors.ts';
import { inEnglish, sampleSentences } from '../../src/foundation/sentences.ts';
import { generatedBy, inCell } from './markdown.ts';

const introduction = `# Errors

Every error answer has the same body, whatever went wrong:

\`\`\`json
{
  "result": "ERROR",
  "error": "No SMS was queued. “12345” has 5 digits. A phone number has 7 to 15 digits and begins with its country code.",
  "code": "nothing_queued",
  "errors": [
    {
      "field": "to[0]",
      "code": "invalid_number",
      "error": "“12345” has 5 digits. A phone number has 7 to 15 digits and begins with its country code."
    }
  ],
  "rejected": ["12345"]
}
\`\`\`

- \`code\` is for programs: it is one of the codes below and stays the same, while sentences may be improved.
- \`error\` is for people: it says what is wrong, where, and what would be right.
- \`values\` describes the sentence in \`error\` for programs that show it in another language: its name, one of
  [those below](#sentences), and its variable parts. It is left out if the code alone says what is wrong. Before or
  after the sentence, \`error\` may say what the sentence is about, such as which field.
- \`errors\` names each field at fault, at most 100 of them; it is left out when there is nothing to name. The
  \`code\` of a field can differ from that of the answer as a whole.
- Under \`/api/v1\`, \`type\`, \`title\`, \`status\` and \`detail\` are those of RFC 9457, for programs that know nothing of Carillon:
  \`type\` leads to the code on this page, \`title\` is its meaning, and \`detail\` is the same as \`error\`.
- An endpoint may add fields of its own, such as \`rejected\` above.

Every answer, good or bad, carries \`X-Request-Id\`. With it, the operator can find a fault of the service in the log. 401 carries
\`WWW-Authenticate\`, 405 \`Allow\`, 429 and 503 \`Retry-After\` (in seconds).
`;

export function errorsPage(): string {
  const entries = Object.entries(catalogue);
  const statuses = [...new Set(entries.map(([, { status }]) => status))].sort((one, other) => one - other);
  const sections = statuses.map((status) => {
    const rows = entries
      .filter(([, entry]) => entry.status === status)
      .map(([code, { meaning }]) => `| <a id="${code}"></a>\`${code}\` | ${inCell(meaning)} |`);
    return [
      `## ${status} ${STATUS_CODES[status]}`,
      '',
      '| code | meaning |',
      '| --- | --- |',
      ...rows,
      '',
    ].join('\n');
  });
  return [generatedBy, introduction, ...sections, sentencesSection()].join('\n');
}

function sentencesSection(): string {
  const rows = sampleSentences.map((values) => {
    const { sentence, ...given } = values;
    const names = Object.keys(given).map((name) => `\`${name}\``);
    return `| \`${sentence}\` | ${names.join(', ')} | ${inCell(inEnglish(values))} |`;
  });
  return [
    '## Sentences',
    '',
    'These are the names and values in `values`, and in the `reasonValues` of a reason. A sentence can go with several codes if the same thing is wrong in different places. Names and values stay the same while sentences may be improved.',
    '',
    '| sentence | values | such as |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
