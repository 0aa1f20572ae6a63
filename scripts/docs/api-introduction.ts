/** The introduction to the API reference: the conventions that all endpoints share. */
import { isFinal, type StatusName, statusNames } from '../../src/messages/message.ts';

const conventions = `# API reference

A running server has this reference at \`/docs\`, where calls can be tried, and as \`/docs/openapi.json\`, from which clients can be
generated. Contents: [conventions](#conventions), [lists](#lists), [authentication](#authentication), [retrying safely with
\`Idempotency-Key\`](#sending-twice-by-mistake), [versions](#changing-the-version-that-you-know), [status codes](#status-codes),
[calls](#calls). The examples need the settings below, with the credentials printed at the first start. Run in the order of this page on a
new server, they give the printed answers; otherwise ids differ.

\`\`\`sh
export CARILLON_URL=http://127.0.0.1:8080
export CARILLON_USER=demo
export CARILLON_PASSWORD=the-password-printed-at-the-first-start
\`\`\`

## Conventions

- **GET and POST** of an endpoint do the same. GET and DELETE take parameters in the URL, POST and PATCH in one JSON object. The body is
  read as JSON whatever its \`Content-Type\`, so \`curl -d\` works. An empty body is \`{}\`. Multipart bodies are refused.
- **Under \`/api/v1\`** a POST that creates an object or starts a run answers 201 with its \`Location\`; everything else answers 200,
  including an answer in a conversation, a message sent again and an import. A PATCH changes the given fields and keeps the rest. Names
  are in camelCase, except in calls that take the body of \`/send\`, \`/batchsend/json\` or \`/startsavedjob\` and use its names (as do
  the answers to the first two), and in the \`data\` of events. [Versions](#changing-the-version-that-you-know) keep two people from
  overwriting each other's changes.
- **In a URL** parameters have short names; their JSON names work too. Text is percent-encoded UTF-8, and \`+\` is a space. The only
  exception is \`M\` of \`/send\`, which is ISO-8859-1; \`M8\` is the same in UTF-8. List items are separated by commas; a comma inside an
  item is \`%2C\`, except in lists of numbers and ids, where it separates too. A list may be given several times, anything else only once.
- **Booleans** are \`true\` and \`false\` in JSON; in a URL T, TRUE, Y, YES and F, FALSE, N, NO, in any case.
- **Whole numbers** may be given as digits in a text, and digits in a text as a number.
- **Not given** means absent, \`null\` or the empty string.
- **Unknown parameters** are refused under \`/api/v1\` (\`unknown_parameter\`, with the name you probably meant). On other paths they are
  ignored, unless one resembles a known name (case, underscores, a letter or two) or is in the wrong place: in the URL of a call with
  a body, in a URL although only JSON can give it, or as a name of \`/send\` inside a batch recipient. So a call with a misspelt or
  misplaced send time never sends at once.
- **Ids** of SMS are digits in a text, and so are **times** in answers: milliseconds since 1970-01-01 00:00 UTC.
- **Answers** are JSON in UTF-8. All errors have the same form: see [errors.md](errors.md).
- **\`X-Request-Id\`**: send your own (1 to 128 letters, digits and \`._:-\`) and it is in the answer and the server's log. Otherwise the
  server creates one.
- **Limits**: 64 KiB for request line and headers, 1 MiB for a body (10 MiB for \`/send\`, more for batches), 10,000 ids in a call,
  10,000 recipients and 30,000 SMS parts in a call of \`/send\`. The limits of texts and lists are in their rows. Anything larger is
  refused with 400, a larger body with 413.
- **What is left**: if the account or its company has [limits](provisioning.md#limits) per minute or day, answers to \`/send\` have
  \`RateLimit-Policy: "parts-per-minute";q=600;qu="sms-parts";w=60\` and \`RateLimit: "parts-per-minute";r=597;t=12\`: of 600 SMS parts in
  this clock minute, 597 are left for 12 seconds. The same goes for \`parts-per-day\`. Of the limits of account and company, the one with
  less left counts. The fields are those of the IETF’s draft “RateLimit header fields for HTTP”, which may still change; answers given again for an \`Idempotency-Key\` lack them.
- **Path prefix**: a path in \`CARILLON_PUBLIC_URL\` precedes every path here.

## Lists

Lists are returned in pages. \`limit\` is the maximum number of items in a page: a whole number, 50 by default; more than 200 counts
as 200. An answer with more to come has a \`next\`; give it as \`after\` to get the following page. Omit \`after\` for the first page.

## Authentication

A call is made by one account, with exactly one of these methods. A call with two methods, half a method, or
a method that does not apply gets 401. Calls accept any method unless they say otherwise.

| method | works for |
| --- | --- |
| Basic authentication (\`curl -u user:password\`), in UTF-8 | every endpoint |
| headers \`X-Service-Userid\` and \`X-Service-Password\`, each Base64 of its UTF-8 | every endpoint but \`/authentication/auth/apikey\` |
| \`username\` and \`password\` in the JSON body | POST and PATCH |
| \`U\` and \`P\` in the URL | GET and DELETE |
| API key: header \`X-API-Key\`, \`key\` in the URL, or \`apikey\` in the JSON body | every endpoint but \`/authentication/auth/apikey\` and those of the address book |
| API key: header \`Authorization: Bearer\` | the endpoints under \`/api/v1\` that take an API key |

Credentials are accepted over HTTPS only, or from the server's own machine. After eight failed logins to an account within five
minutes, 100 within an hour, or 50 from one address within five minutes, further passwords get 429 for a while; in a network from which
a user has logged in before, the user has eight separate attempts. API keys and recently verified passwords keep working. A password not
used for ten minutes is verified again, in turn; if too many calls wait for that, the answer is 503. The account's roles, given by the
operator, decide what it may do; a missing role gets 403.

[A key can be limited](#create-an-api-key) further: to an end, after which it gets 401; to networks (\`networks\`), and a call from elsewhere
gets 403 [\`network_not_allowed\`](errors.md#network_not_allowed); and to scopes (\`scopes\`). A key with scopes gets 403
[\`scope_missing\`](errors.md#scope_missing) for each call of another scope, and can never do more than its account. A key without
scopes may do whatever its account may.

| scope | calls |
| --- | --- |
| \`read\` | reading messages, statuses, incoming SMS, batches, conversations, templates, saved jobs and runs, address books, people, opt-outs, usage and carriers; reading incoming SMS and statuses marks them as read |
| \`send\` | sending, and what is done with messages, batches, conversations and templates; a preview shows the numbers and names of the people whom an address book selects |
| \`jobs\` | starting saved jobs, and what is done with runs; a rehearsal shows the people who would be asked, with numbers and addresses |
| \`contacts\` | changing address books, including who may read them, and opt-outs |
| \`webhooks\` | webhooks and their events |
| \`email\` | the list of e-mail senders; adding one’s own address lets one send by e-mail |
| \`admin\` | the company, its users, keys, numbers, saved jobs, system users and audit log; erasing people |
`;

const versions = `## Changing the version that you know

Under \`/api/v1\`, objects that several people may change have a \`version\`, which differs after each change. An answer with one such object
also has it in the header \`ETag\`: \`ETag: "3"\`. Send it back as \`If-Match: "3"\` with a change or removal, which is then carried out only
if the object still has this version. Otherwise the answer is 412 [\`changed_meanwhile\`](errors.md#changed_meanwhile), and nothing was
changed: read the object again.

- [A scheduled message](#reschedule-a-message) is an example.
- \`If-Match\` may list several versions, separated by commas. \`*\`, or no \`If-Match\`, accepts any version.
- Weak tags such as \`W/"3"\` never match (RFC 9110 section 8.8.3.2). Some proxies make tags weak when they compress answers: build the tag
  from the \`version\` in the body instead.
- The tag identifies the object's version, not the bytes of the answer, which may contain more than calls can change, such as a webhook's
  backlog.
`;

const idempotency = `## Sending twice by mistake

A client that got no answer does not know whether its SMS were accepted. With the header \`Idempotency-Key\` (1 to 255 printable ASCII
characters of your choice) it can repeat the call: for 24 hours the same account with the same key and parameters gets the first answer
again, and nothing is sent twice. The same key with other parameters gets 422.
`;

const meanings: Readonly<Record<StatusName, string>> = {
  QUEUED: 'Accepted and stored; waits for a carrier.',
  SENT: 'A carrier took it; no receipt yet.',
  DELIVERED: 'Delivered to the phone.',
  DELETED: 'Cancelled while it was queued.',
  EXPIRED:
    'Its validity ended before it was delivered. If Carillon’s own clock decided that, a late receipt can still make it DELIVERED.',
  REJECTED: 'The carrier refused it.',
  UNDELIVERABLE: 'It could not be delivered.',
  ACCEPTED: 'The carrier reports only that it was accepted somewhere: unclear, may still change.',
  ABSENTSUBSCRIBER: 'The phone was off or out of reach.',
  UNKNOWNSUBSCRIBER: 'The number is not in use.',
  INVALIDDESTINATION: 'SMS can’t be sent to this number.',
  SUBSCRIBERERROR: 'The phone can’t receive the SMS.',
  UNKNOWN: 'The outcome is unknown and may still change.',
  ERROR: 'An error while sending.',
  SCHEDULED: 'Waits for its send time.',
  CANCELED: 'Cancelled before its send time.',
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
