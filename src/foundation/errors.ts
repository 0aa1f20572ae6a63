/** The catalogue of every error the service reports to its callers; `docs/errors.md` is generated from it. */
import { faultsInSwedish } from './faults-sv.ts';
import { inEnglish, type Sentence } from './sentences.ts';

/** What each code means and what the caller can do, in one or two sentences. */
const meanings = {
  // Form of the request
  bad_json: 'The body is not a JSON object. The message gives the position of the error.',
  bad_encoding:
    'Text that should be UTF-8 is not, or a percent escape in the URL is broken. Encode the text as UTF-8 and escape it again.',
  bad_request: 'The request is not valid HTTP.',
  invalid_type: 'A parameter has the wrong JSON type.',
  invalid_value: 'A parameter has a value that is not allowed. The message names the bounds.',
  missing_parameter: 'A required parameter is missing.',
  duplicate_parameter: 'A parameter that takes one value is in the URL more than once.',
  unknown_parameter:
    'The call does not know this name: it is misspelt, or belongs to another call. The message suggests the nearest name. Nothing was done.',
  conflicting_parameters: 'Parameters that exclude each other were given together.',
  not_available:
    'The parameter belongs to the service, but this version does not offer it yet. Nothing was sent.',

  // Sending
  nothing_queued:
    'No recipient could be accepted, so nothing was sent. `errors` has the reason for each recipient.',
  invalid_number: 'A recipient is not a phone number of 7 to 15 digits after clean-up.',
  number_not_mobile: 'With `checknumber`: the number is not in an official mobile series of its country.',
  number_machine_series:
    'With `checknumber`: the number is in a series issued to machines, which do not read SMS.',
  no_route: 'No route serves this number. The operator sets routes in the provisioning file.',
  no_pool_number:
    'No number of the reply pool is free for a two-way SMS to this recipient: others await the recipient’s answers on all of them, or the pool is empty. The operator adds numbers to the pool in the provisioning file.',
  opted_out: 'The recipient has opted out of messages of this category from the company, which honours that.',
  no_recipients: 'The call has no recipients.',
  invalid_tag_filter:
    'A tag filter is not in the notation `type:value|value;type:value` or its JSON form. The message gives the position.',
  unknown_tag_filter:
    'The address book has no saved tag filter with this name. The message lists the existing filters.',
  unknown_group: 'The address book has no group with this name. The message lists the existing groups.',
  no_address_book:
    'The account has no default address book for finding recipients. The operator sets one in the provisioning file.',
  no_text: 'The call has no message text.',
  unknown_template: 'The company has no template with this id. Nothing was sent.',
  text_too_long:
    'The text needs more than 255 SMS parts, the maximum per message, or the texts of all recipients together are too long for one call.',
  invalid_flash_text: 'A flash SMS can have at most 160 characters, all from the GSM 03.38 alphabet.',
  invalid_sender: 'A sender id is 1 to 11 letters, digits and simple signs, or 3 to 15 digits.',
  sender_not_allowed: 'The account may only use the sender ids on its list.',
  sender_not_yours:
    'The sender id is a number of another company or of the reply pool, or is reserved for another company.',
  no_sender: 'No sender id was given, and neither the account nor its company has a default.',
  invalid_time: 'A time is not ISO 8601, has no zone, is in the past, or is more than 366 days ahead.',
  conversation_over:
    'The conversation can no longer be answered from its number; the message says why. Start a new one with a two-way SMS.',
  quota_exceeded: 'The remaining quota, in SMS parts, does not cover the whole call. Nothing was sent.',
  country_not_allowed:
    'The number is not in a country that the account or its company may send to. The operator sets the countries in the provisioning file.',
  too_many_parts:
    'The call has more SMS parts than the account or its company may send in a minute or a day. Nothing was sent. Split the recipients over several calls, or send a batch.',
  rate_exceeded:
    'The account or its company has reached its limit of SMS parts for this minute or day (UTC). Nothing was sent. Try again after `Retry-After`. `left` gives the parts left in the `minute` and the `day`.',
  idempotency_mismatch:
    'The `Idempotency-Key` was used for another request within the last 24 hours. Use a new key.',

  // E-mail to SMS
  invalid_email:
    'The value is not an e-mail address (`name@domain`). An e-mail sender may also be a whole domain (`@domain`).',
  domain_not_allowed:
    'The domain has no ending that is allowed for the company. The operator sets the endings in the provisioning file.',
  invalid_paying_user:
    'The paying user must be an active account of the company with the role `send`: its id in digits, or its user name.',
  smtp_split_missing:
    'Receipts and answers go back by mail only if the paying user has SMTPSPLIT. The operator sets it in the provisioning file (`smtpSplit`).',
  belongs_to_another: 'The e-mail address or domain is on the list of another company. Nothing was changed.',
  too_many_email_senders:
    'The company has the maximum number of e-mail senders that calls can create. Remove some, or replace addresses with an entry for their domain (`@domain`). Existing entries can still be changed.',

  // Saved jobs
  unknown_job: 'There is no saved job with this id, or the account may not start it. Nothing was started.',
  not_started:
    "The saved job can't be started as it is saved, or with the changes in the call. The message says why. Nothing was sent.",
  incident_ended: 'The incident has ended.',
  run_ended: 'The run has ended. Nothing was done.',
  not_for_job_type: 'The parameter does not apply to jobs of this type. Nothing was started.',

  // The caller
  unauthorised:
    'The credentials are missing, wrong, given by more than one method, or by a method that does not apply here.',
  https_required:
    'Credentials are accepted over HTTPS only. Behind a proxy that ends TLS, the proxy must be in `CARILLON_TRUSTED_PROXIES` and send `X-Forwarded-Proto`.',
  cross_site:
    'A browser made the call from a page of another site, or did not say from which page. Programs send neither `Origin` nor `Sec-Fetch-Site`.',
  other_session:
    'The call came from a portal page of a user (`X-Portal-User`) other than the one now signed in. Nothing was done.',
  password_needed:
    'A portal session can create and change users, roles and links only if the password was given within the last ten minutes. Sign in again. In a session opened with a link, no password was given.',
  own_factors:
    'You can’t remove your own second factors this way. Another administrator can, or the operator (`carillon user factors`).',
  factor_missing:
    'A second factor is required, and none was given in this portal session. Set one up in the portal, under Security.',
  factor_needed:
    'A portal session can change second factors only if one of them was given within the last ten minutes. Sign in again.',
  own_email:
    'A portal session can’t change its own user’s address for e-mails about sign-ins. Call with the password, or ask another administrator.',
  address_not_allowed: 'This path is open only to addresses that the operator has allowed.',
  role_missing: 'The account lacks the role that this call requires.',
  scope_missing: 'The API key lacks the scope that this call requires. The message names it.',
  network_not_allowed: 'The API key is not accepted from the network that the call came from.',
  key_revoked: 'The API key with this name was revoked or has expired. The operator can enable it again.',
  name_taken: 'This name is already taken. Choose another one.',
  too_many_keys:
    'The account has the maximum number of API keys, including revoked and expired ones. Ask for a key by an existing name; the operator can list them (`carillon keys list`).',
  beyond_own_rights:
    'Administrators can’t give more than they have: roles, limits, senders or countries. The message says what you have.',
  last_administrator: 'The user is the company’s last active administrator. Appoint another one first.',
  too_many_users:
    'The company has the maximum number of users that calls can create. Remove some, or ask the operator to add users in the provisioning file.',
  too_many_books:
    'The company has the maximum number of address books that calls can create. Remove some, or ask the operator to add them in the provisioning file.',
  too_many_receivers: 'The company has the maximum number of alert receivers. Remove one first.',
  too_many_jobs:
    'The company has the maximum number of saved jobs that calls can create. Remove some, or ask the operator to add them in the provisioning file.',
  too_many_job_types:
    'The company has the maximum number of job types that calls can create. Remove some, or ask the operator to add them in the provisioning file.',
  too_many_system_users:
    'The company has the maximum number of system users that calls can create. Remove some, or ask the operator to add them in the provisioning file.',
  too_many_attempts: 'Too many failed logins. Wait as long as `Retry-After` says; API keys keep working.',

  // Tests of carriers
  too_many_tests:
    'The operators have sent as many test SMS as they may in a minute or a day. Nothing was sent. Try again later.',

  // Changes
  managed:
    'A provisioning file manages this object: only the operator can change it, in the file. Nothing was changed.',
  changed_meanwhile:
    'The object was changed by someone else: its version is not in `If-Match`. Read it again. Nothing was changed.',
  import_interrupted: 'While the import was in progress, it was undone or its address book was removed.',
  in_use: 'Something else still uses the object; the message says what. Nothing was changed.',
  taken:
    'Another object already has this name, id, phone number or e-mail address. The message says which. Nothing was changed.',

  // Webhooks
  of_callback_url:
    'The webhook posts to a `callbackurl` of calls. It can be disabled and removed, but not changed.',
  of_system_user:
    'A callback is changed and removed with its system user, by `/api/v1/systemusers`. Nothing was changed.',
  too_many_webhooks: 'The company or the user has the maximum number of webhooks. Remove one first.',
  webhook_disabled: 'Nothing is posted to the webhook: it is disabled, or not active.',
  replay_under_way:
    'A replay to this webhook is already running. Wait until it has ended, or disable the webhook to end it.',

  // Requested objects
  already_resent: 'Another call has just sent the batch’s failures again. This call sent nothing.',
  not_found: 'There is nothing at this path, or nothing (unread) with this id that the caller may see.',
  too_many_paused: 'The company has the maximum number of paused batches. Resume or abort one first.',
  too_late: 'It is too late: the SMS is with a carrier or has a final status. The message says which.',
  method_not_allowed: 'The path exists, but not for this HTTP method. `Allow` lists the methods that work.',
  body_too_large: 'The body is larger than this endpoint accepts.',
  multipart_not_supported: 'Multipart bodies are not supported. Send a JSON object.',
  content_encoding_not_supported:
    'Compressed bodies are not supported. Send the body uncompressed, without `Content-Encoding`.',
  headers_too_large: 'The request line or its headers are too large. Send long parameters by POST.',
  request_timeout: 'The request did not arrive in time.',

  // The service itself
  overloaded: 'The service is overloaded. Try again after `Retry-After`.',
  store_unavailable: 'The store is unavailable. Try again after `Retry-After`.',
  store_damaged:
    'The store is damaged, and the data that the call needs cannot be read. The operator has been notified; trying again does not help.',
  shutting_down: 'This server is stopping. Try again after `Retry-After`.',
  not_ready:
    'This server is starting, stopping, or without its store, and should not get requests now. The message says why.',
  internal: 'An internal error. The operator can find it in the log by the `X-Request-Id` of the response.',
} as const;

export type ErrorCode = keyof typeof meanings;

/** The response status if this is the main error and the status is not 400. */
const statuses: Partial<Readonly<Record<ErrorCode, number>>> = {
  rate_exceeded: 429,
  idempotency_mismatch: 422,
  belongs_to_another: 409,
  unauthorised: 401,
  https_required: 403,
  cross_site: 403,
  other_session: 409,
  password_needed: 403,
  own_factors: 403,
  factor_missing: 403,
  factor_needed: 403,
  own_email: 403,
  address_not_allowed: 403,
  role_missing: 403,
  scope_missing: 403,
  network_not_allowed: 403,
  beyond_own_rights: 403,
  last_administrator: 409,
  in_use: 409,
  of_callback_url: 409,
  of_system_user: 409,
  key_revoked: 403,
  too_many_attempts: 429,
  too_many_tests: 429,
  not_found: 404,
  too_many_paused: 409,
  too_late: 409,
  name_taken: 409,
  managed: 409,
  changed_meanwhile: 412,
  import_interrupted: 409,
  already_resent: 409,
  taken: 409,
  conversation_over: 409,
  not_started: 409,
  incident_ended: 409,
  run_ended: 409,
  too_many_webhooks: 409,
  too_many_books: 409,
  too_many_receivers: 409,
  too_many_jobs: 409,
  too_many_job_types: 409,
  too_many_system_users: 409,
  webhook_disabled: 409,
  replay_under_way: 409,
  method_not_allowed: 405,
  body_too_large: 413,
  multipart_not_supported: 415,
  content_encoding_not_supported: 415,
  headers_too_large: 431,
  request_timeout: 408,
  overloaded: 503,
  store_unavailable: 503,
  store_damaged: 500,
  shutting_down: 503,
  not_ready: 503,
  internal: 500,
};

export const catalogue = Object.fromEntries(
  Object.entries(meanings).map(([code, meaning]) => [
    code,
    { status: statuses[code as ErrorCode] ?? 400, meaning },
  ]),
) as Readonly<Record<ErrorCode, { readonly status: number; readonly meaning: string }>>;

const swedish: Readonly<Record<ErrorCode, string>> = faultsInSwedish;

/** What a code means to Swedish readers; undefined for a code of another server version. */
export function swedishOfCode(code: string): string | undefined {
  return Object.hasOwn(swedish, code) ? swedish[code as ErrorCode] : undefined;
}

/** The content of an error: `error` is the English sentence, `values` its components if it is one of `sentences.ts`. */
export interface ErrorContent {
  readonly code: ErrorCode;
  readonly error: string;
  /** `error` may put the field's name before the sentence, and advice after it. */
  readonly values?: Sentence | undefined;
}

/** One of several errors, tied to the field it is about (`to[3]`, `batch[17].t`). */
export interface FieldError extends ErrorContent {
  readonly field: string;
}

interface Details {
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Further fields of the response body, for endpoints whose error body has some. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
  /** The sentence contained in a message given as text. */
  readonly values?: Sentence | undefined;
}

/** An error with a public sentence. Anything else that is thrown is `internal` to callers. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly values: Sentence | undefined;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, said: string | Sentence, details: Details = {}) {
    super(typeof said === 'string' ? said : inEnglish(said), { cause: details.cause });
    this.code = code;
    this.status = catalogue[code].status;
    this.values = typeof said === 'string' ? details.values : said;
    this.errors = details.errors ?? [];
    this.headers = details.headers ?? {};
    this.body = details.body ?? {};
  }
}

/** For calls whose only errors concern some fields. */
export function errorOfFields(
  { code, error, values }: ErrorContent,
  ...fields: readonly string[]
): ServiceError {
  const errors = fields.map((field) => ({ field, code, error, values }));
  return new ServiceError(code, error, { values, errors });
}

/** A sentence about one field. */
export function faultOfField(field: string, code: ErrorCode, said: Sentence): FieldError {
  return { field, code, error: inEnglish(said), values: said };
}

/** An error that prevents the start: one sentence for the operator, no stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
