/** The catalogue of every error the service reports to its callers; `docs/errors.md` is generated from it. */
import { inEnglish, type Sentence } from './sentences.ts';

/** What each code means and what the caller can do, in one or two sentences. */
const meanings = {
  // Form of the request
  bad_json: 'The body is not a JSON object. The message gives the position of the fault.',
  bad_encoding:
    'Text that should be UTF-8 is not, or a percent escape in the URL is broken. Encode the text as UTF-8 and escape it again.',
  bad_request: 'The request is not proper HTTP.',
  invalid_type: 'A parameter has another JSON type than the one it needs.',
  invalid_value: 'A parameter has a value outside what is allowed. The message names the bounds.',
  missing_parameter: 'A parameter that is needed was not given.',
  duplicate_parameter: 'A parameter that holds one value stands more than once in the URL.',
  unknown_parameter:
    'A name is not known in this call: misspelt, or of another call. The message tells which name is near to it. Nothing was done.',
  conflicting_parameters: 'Parameters were given together that exclude each other.',
  not_available:
    'The parameter belongs to the service, but this version does not offer it yet. Nothing was sent.',

  // Sending
  nothing_queued: 'No recipient could be accepted, so nothing was sent. `errors` holds a reason for each.',
  invalid_number: 'A recipient is not a phone number of 7 to 15 digits after clean-up.',
  number_not_mobile: 'With `checknumber`: the number is in no official mobile series of its country.',
  number_machine_series:
    'With `checknumber`: the number is in a series issued to machines, which do not read SMS.',
  no_route: 'No route leads to this number. The operator sets routes in the provisioning file.',
  no_pool_number:
    'A two-way SMS goes out from a number of the reply pool, and there is none for this recipient: others wait for its answers on all of them, or there are none. The operator puts numbers into the pool in the provisioning file.',
  no_recipients: 'The call names no recipient.',
  invalid_tag_filter:
    'A tag filter is not in the notation `type:value|value;type:value` or its JSON form. The message gives the position.',
  unknown_tag_filter:
    'The address book has no saved tag filter of this name. The message lists those that it has.',
  unknown_group: 'The address book has no group of this name. The message lists those that it has.',
  no_address_book:
    'The account has no default address book to find recipients in. The operator sets it in the provisioning file.',
  no_text: 'The call has no message text.',
  unknown_template: 'The company of the account has no template with this id. Nothing was sent.',
  text_too_long:
    'The text needs more than 255 SMS parts, the most that one message can have, or the texts of all recipients together are more than one call takes.',
  invalid_flash_text: 'A flash SMS takes at most 160 characters, all of the GSM 03.38 alphabet.',
  invalid_sender: 'A sender id is 1 to 11 letters, digits and simple signs, or 3 to 15 digits.',
  sender_not_allowed: 'The account may send only from the sender ids on its list.',
  sender_not_yours:
    'The sender id is a number of another company or of the reply pool, or is kept for another company.',
  no_sender: 'No sender id was given, and neither the account nor its company has a default.',
  invalid_time:
    'A time is not in one of the ISO 8601 forms, has no zone, is past, or is more than 366 days ahead.',
  conversation_over:
    'The conversation can no longer be answered from its number: the message says why. A two-way SMS begins another.',
  quota_exceeded: 'The quota left, counted in SMS parts, does not cover the whole call. Nothing was sent.',
  country_not_allowed:
    'The number belongs to none of the countries that the account or its company may send to. The operator sets them in the provisioning file.',
  too_many_parts:
    'The call alone has more SMS parts than the account or its company may send in a minute or a day. Nothing was sent; spread the recipients over several calls, or send them as a batch.',
  rate_exceeded:
    'The account or its company has sent as many SMS parts in this minute, or this day (UTC), as it may. Nothing was sent; try again after `Retry-After`. `left` tells how many parts are left in the `minute` and the `day`.',
  idempotency_mismatch: 'The `Idempotency-Key` was used within 24 hours for another request. Use a new key.',

  // E-mail to SMS
  invalid_email:
    'The value is not an e-mail address (`name@domain`). A sender of mails may also be a whole domain (`@domain`).',
  domain_not_allowed:
    'The domain ends with none of the endings that the company is allowed. The operator keeps them in the provisioning file.',
  invalid_paying_user:
    'The paying user must be an active account of the company with the role `send`: its id in digits, or its user name.',
  smtp_split_missing:
    'Receipts and answers go back by mail only for a paying user whose profile has SMTPSPLIT. The operator sets it in the provisioning file (`smtpSplit`).',
  belongs_to_another: 'The e-mail address or domain is on the list of another company. Nothing was changed.',
  too_many_email_senders:
    'The company has as many e-mail senders as calls can make. Remove some, or let the entry of a whole domain (`@domain`) stand for the addresses in it. Entries that are there can be changed.',

  // Saved jobs
  unknown_job: 'There is no saved job with this id that the account may start. Nothing was started.',
  not_started:
    "The saved job can't be started as it is, or as it is asked to be. The message says why. Nothing was sent.",
  not_for_job_type: 'The parameter does not go with jobs of this type. Nothing was started.',

  // The caller
  unauthorised:
    'The credentials are missing, wrong, given by more than one method, or by a method that does not apply here.',
  https_required: 'Credentials are taken over HTTPS only.',
  cross_site:
    'A browser made the call from a page of another site, or without saying from which page. Programs send neither `Origin` nor `Sec-Fetch-Site`.',
  other_session:
    'A page of the portal called that was made for another user (`X-Portal-User`) than the one who has signed in since. Nothing was done.',
  password_needed:
    'A session of the portal makes and changes users, their roles and links only while the password was given within the last ten minutes. Sign in again; a session that a link began has given none.',
  own_email:
    'No session of the portal changes the address at which its own user hears of sign-ins. Call with the password, or ask another administrator.',
  address_not_allowed: 'This path is open to the addresses only that the operator has allowed.',
  role_missing: 'The account is known but lacks the role that this call needs.',
  key_revoked: 'The API key of this name was revoked or has expired. The operator can enable it again.',
  name_taken: 'There is one of this name already. Choose another name.',
  too_many_keys:
    'The account has as many API keys as it may have, revoked and expired ones among them. Ask for the key of a name that is there; the operator lists them (`carillon keys list`).',
  beyond_own_rights:
    'An administrator gives nobody more than it has itself: a role, a higher limit, another sender or country. The message says what it has.',
  last_administrator:
    'The user is the last active administrator of the company, which would have none without it. Make another one first.',
  too_many_users:
    'The company has as many users as calls can make. Remove some; the operator can make more in the provisioning file.',
  too_many_attempts:
    'Too many failed attempts to log in. Wait as long as `Retry-After` says; API keys go on working.',

  // Changes
  managed: 'A provisioning file manages this object: the operator changes it there. Nothing was changed.',
  changed_meanwhile:
    'The object has another version than those in `If-Match`: it was changed since. Read it again. Nothing was changed.',
  import_interrupted: 'The import was undone, or its address book removed, while it was under way.',
  in_use: 'Something else still needs the object: the message says what. Nothing was removed.',
  taken:
    'Another object is known by the same name, id, phone number or e-mail address already. The message says which. Nothing was changed.',

  // Webhooks
  too_many_webhooks:
    'The company has as many webhooks as it may have, or the user as many of its own. Remove one first.',
  webhook_disabled: 'Nothing is posted to the webhook: it is disabled, or not active.',
  replay_under_way:
    'Events are being posted to the webhook again already. Wait until that has ended; disabling the webhook ends it.',

  // Requested objects
  already_resent:
    'What failed of the batch was just sent again by another call. Nothing was sent by this one.',
  not_found: 'There is nothing under this path, or nothing (unread) under this id that the caller may see.',
  too_many_paused:
    'The company has as many paused batches as it may have. Resume or abort one of them first.',
  too_late:
    'It can no longer be done: the message is with a carrier already, or has come to its end. The message says which.',
  method_not_allowed: 'The path exists, but not for this HTTP method. `Allow` lists those that work.',
  body_too_large: 'The body is larger than this endpoint takes.',
  multipart_not_supported: 'Multipart bodies are not supported. Send a JSON object.',
  content_encoding_not_supported:
    'Compressed bodies are not supported. Send the body as it is, without `Content-Encoding`.',
  headers_too_large: 'The request line or its headers are too large. Send long parameters by POST.',
  request_timeout: 'The request did not arrive in time.',

  // The service itself
  overloaded: 'The service has as much work as it can take. Try again after `Retry-After`.',
  store_unavailable: 'The store cannot be reached or written. Try again after `Retry-After`.',
  store_damaged:
    'What the call needs cannot be read: the store is damaged. Its operator is told; trying again does not help.',
  shutting_down: 'This server is stopping. Try again after `Retry-After`.',
  not_ready:
    'This server starts, stops, or lacks its store, and should get no requests now. The message says why.',
  internal: 'A fault of the service. The operator finds it in the log by the `X-Request-Id` of the answer.',
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
  own_email: 403,
  address_not_allowed: 403,
  role_missing: 403,
  beyond_own_rights: 403,
  last_administrator: 409,
  in_use: 409,
  key_revoked: 403,
  too_many_attempts: 429,
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
  too_many_webhooks: 409,
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

/** The content of an error: `error` is the English sentence, `values` its components if it is one of `sentences.ts`. */
export interface Told {
  readonly code: ErrorCode;
  readonly error: string;
  /** `error` may put the field's name before the sentence, and advice after it. */
  readonly values?: Sentence | undefined;
}

/** One of several errors, tied to the field it is about (`to[3]`, `batch[17].t`). */
export interface FieldError extends Told {
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
export function errorOfFields({ code, error, values }: Told, ...fields: readonly string[]): ServiceError {
  const errors = fields.map((field) => ({ field, code, error, values }));
  return new ServiceError(code, error, { values, errors });
}

/** An error that prevents the start: one sentence for the operator, no stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
