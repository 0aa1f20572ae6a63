/** What the API reference says before its endpoints: the conventions that all of them share. */
import { isFinal, type StatusName, statusNames } from '../../src/messages/message.ts';

const conventions = `# API reference

This page follows from the endpoint tables of the source, like the page at \`/docs\` of a running server, where calls can
be tried, and its \`/docs/openapi.json\`, from which clients can be generated. The examples need these settings, with
the credentials that the first start of the server printed. In the order of this page they answer as printed here, where
nothing was sent before; else ids differ:

\`\`\`sh
export CARILLON_URL=http://127.0.0.1:8080
export CARILLON_USER=demo
export CARILLON_PASSWORD=the-password-printed-at-the-first-start
\`\`\`

## Conventions

- **GET and POST** of one endpoint do the same. A GET, like a DELETE, has its parameters in the URL, a POST has them in one
  JSON object, and so has a PATCH, which is read as JSON whatever \`Content-Type\` says, so that \`curl -d\` works. A body of no bytes is \`{}\`.
  Multipart bodies are refused.
- **Under \`/api/v1\`** a POST that makes an object or starts a run is answered by 201, with its \`Location\`; all else
  by 200, also where an answer, a message sent again or an import comes of it; a PATCH changes what it
  gives of an object, and leaves the rest. Names are in camelCase, except where a call takes the body of \`/send\`,
  \`/batchsend/json\` or \`/startsavedjob\`, which has the names of these (so do the answers to the first two), and in the
  \`data\` of events. [Its version](#changing-the-version-that-you-know)
  keeps two people who change the same object from overwriting each other.
- **In a URL** parameters have short names, and are taken by their JSON names too. Text is percent-encoded from UTF-8,
  and \`+\` is a space. The one exception is \`M\` of \`/send\`, which is ISO-8859-1; \`M8\` is the same parameter in UTF-8.
  Items of a list stand between commas; a comma inside an item is \`%2C\`, except in lists of numbers and ids, where it
  separates as well. A list may be given several times, anything else once.
- **Booleans** are \`true\` and \`false\` in JSON; in a URL T, TRUE, Y, YES and F, FALSE, N, NO, in any letter case.
- **Whole numbers** may also be given as text of digits, and text of digits as a number.
- **Not given** is what is absent, \`null\`, or the empty string.
- **Unknown parameters** are refused under \`/api/v1\` (\`unknown_parameter\`, with the name that was likely meant). On the other
  paths they are ignored, unless one is near to a known name (by letter case, underscores, a letter or two) or stands at the wrong
  place: in the URL of a call that has its parameters in its body, in a URL where only a JSON body can give it, or as a name of
  \`/send\` with a single recipient of a batch. So no send time that is misspelt or misplaced sends at once.
- **Ids** of SMS are text of digits. **Times** in answers are text of digits: milliseconds since 1970-01-01 00:00 UTC.
- **Answers** are JSON in UTF-8. Errors have one body everywhere: see [errors.md](errors.md).
- **\`X-Request-Id\`**: give your own (1 to 128 letters, digits and \`._:-\`) and it comes back in the answer and stands in
  the server's log; without one the server makes one up.
- **Limits**: 64 KiB for the request line and headers, 1 MiB for a body (10 MiB for \`/send\`, more for batches),
  10,000 recipients and 30,000 SMS parts in a call of \`/send\`, 10,000 ids. A text and a list have the bounds that stand in the
  row of their parameter. What is beyond a bound is refused with 400, or 413 for a body.
- **Path prefix**: when \`CARILLON_PUBLIC_URL\` has a path, it stands in front of every path here.

## Authentication

A call is made by one account, which proves itself by exactly one of these methods. Two methods in one call, half a
method, or a method where it does not apply, are answered with 401.

| method | works for |
| --- | --- |
| Basic authentication (\`curl -u user:password\`), in UTF-8 | every endpoint |
| headers \`X-Service-Userid\` and \`X-Service-Password\`, each the Base64 of its UTF-8 | every endpoint but \`/authentication/auth/apikey\` |
| \`username\` and \`password\` in the JSON body | POST and PATCH |
| \`U\` and \`P\` in the URL | GET and DELETE |
| API key: header \`X-API-Key\`, \`key\` in the URL, or \`apikey\` in the JSON body | every endpoint but \`/authentication/auth/apikey\` and those of the address book |

Credentials are taken over HTTPS, and over plain HTTP only from the machine that the server runs on. After
eight failed attempts on an account within five minutes, or 100 within an hour, further passwords get 429 until so many are
past, as after 50 from an address; a user in a network where that user got in before has eight of its own. API keys and
passwords that were verified shortly before go on working. A password that was not used for ten minutes is verified again,
in turn; while too many wait for that, the answer is 503. What an account may do follows from its roles,
which the operator gives; a missing role is answered with 403.
`;

const versions = `## Changing the version that you know

Under \`/api/v1\`, an object that several people may change has a \`version\`, which is another one after each change. An answer
with one such object has it in the header \`ETag\` as well: \`ETag: "3"\`. Give that back as \`If-Match: "3"\` with a change or a
removal, and it is done only if the object is still of this version. Otherwise the answer is 412
[\`changed_meanwhile\`](errors.md#changed_meanwhile), and nothing was changed: read the object again.

- [A scheduled message](#give-a-scheduled-message-another-time) is an example.
- \`If-Match\` takes several versions, separated by commas. \`*\` stands for any version, as does leaving it out.
- A weak tag, such as \`W/"3"\`, never matches (RFC 9110 section 8.8.3.2). Some proxies make tags weak when they compress an
  answer: make the tag of the \`version\` in the body then.
- The tag says which version of the object it is, not that two answers are the same byte by byte: an answer may tell more
  than what is changed by calls, such as the backlog of a webhook.
`;

const idempotency = `## Sending twice by mistake

A client that got no answer does not know whether its SMS were accepted. With the header \`Idempotency-Key\` (1 to 255
printable ASCII characters of its own choice) it can repeat the call: within 24 hours the same account with the same key
and the same parameters gets the first answer again, and nothing is sent twice. The same key with other parameters is
answered with 422.
`;

const meanings: Readonly<Record<StatusName, string>> = {
  QUEUED: 'Accepted and stored; waits for a carrier.',
  SENT: 'A carrier took it; its receipt has not come yet.',
  DELIVERED: 'The phone has it.',
  DELETED: 'Cancelled by the operator while it was queued.',
  EXPIRED:
    'Its validity ended first. Set by our own clock it may still become DELIVERED, when a late receipt says so.',
  REJECTED: 'The carrier refused it.',
  UNDELIVERABLE: 'It could not be delivered.',
  ACCEPTED: 'The carrier says that it was accepted somewhere, and no more: unclear, may still change.',
  ABSENTSUBSCRIBER: 'The phone was switched off or out of reach.',
  UNKNOWNSUBSCRIBER: 'Nobody has this number.',
  INVALIDDESTINATION: 'The number is not one that SMS can be sent to.',
  SUBSCRIBERERROR: 'The phone cannot take the SMS.',
  UNKNOWN: 'Nobody can say what became of it: unclear, may still change.',
  ERROR: 'An error while sending.',
  SCHEDULED: 'Waits for its send time.',
  CANCELED: 'Cancelled by the operator before its send time.',
};

function statuses(): string {
  const rows = statusNames.map(
    (name, code) => `| ${code} | ${name} | ${isFinal(code) ? 'yes' : 'no'} | ${meanings[name]} |`,
  );
  return [
    '## Status codes',
    '',
    '| statuscode | status | final | meaning |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

export function apiIntroduction(): string {
  return [conventions, idempotency, versions, statuses()].join('\n');
}
