/** Every fault the service tells its callers about is one row of this catalogue; `docs/errors.md` is generated from it. */

interface CatalogueEntry {
  /** HTTP status of an answer whose main fault this is. */
  readonly status: number;
  /** What it means and what the caller can do, in one or two sentences. */
  readonly meaning: string;
}

export const catalogue = {
  // Form of the request
  bad_json: {
    status: 400,
    meaning: 'The body is not a JSON object. The message gives the position of the fault.',
  },
  bad_encoding: {
    status: 400,
    meaning:
      'Text that should be UTF-8 is not, or a percent escape in the URL is broken. Encode the text as UTF-8 and escape it anew.',
  },
  bad_request: { status: 400, meaning: 'The request is not proper HTTP.' },
  invalid_type: { status: 400, meaning: 'A parameter has another JSON type than the one it needs.' },
  invalid_value: {
    status: 400,
    meaning: 'A parameter has a value outside what is allowed. The message names the bounds.',
  },
  missing_parameter: { status: 400, meaning: 'A parameter that is needed was not given.' },
  duplicate_parameter: {
    status: 400,
    meaning: 'A parameter that holds one value stands more than once in the URL.',
  },
  conflicting_parameters: { status: 400, meaning: 'Parameters were given together that exclude each other.' },
  not_available: {
    status: 400,
    meaning:
      'The parameter belongs to the service, but this version does not offer it yet. Nothing was sent.',
  },

  // Sending
  nothing_queued: {
    status: 400,
    meaning: 'No recipient could be accepted, so nothing was sent. `errors` holds a reason for each.',
  },
  invalid_number: {
    status: 400,
    meaning: 'A recipient is not a phone number of 7 to 15 digits after clean-up.',
  },
  number_not_mobile: {
    status: 400,
    meaning: 'With `checknumber`: the number is in no official mobile series of its country.',
  },
  number_machine_series: {
    status: 400,
    meaning: 'With `checknumber`: the number is in a series issued to machines, which do not read SMS.',
  },
  no_route: {
    status: 400,
    meaning: 'No route leads to this number. The operator sets routes in the provisioning file.',
  },
  no_pool_number: {
    status: 400,
    meaning:
      'A two-way SMS goes out from a number of the reply pool, and there is none for this recipient: others wait for its answers on all of them, or there are none. The operator puts numbers into the pool in the provisioning file.',
  },
  no_recipients: { status: 400, meaning: 'The call names no recipient.' },
  invalid_tag_filter: {
    status: 400,
    meaning:
      'A tag filter is not in the notation `type:value|value;type:value` or its JSON form. The message gives the position.',
  },
  unknown_tag_filter: {
    status: 400,
    meaning: 'The address book has no saved tag filter of this name. The message lists those that it has.',
  },
  unknown_group: {
    status: 400,
    meaning: 'The address book has no group of this name. The message lists those that it has.',
  },
  no_address_book: {
    status: 400,
    meaning:
      'The account has no default address book to find recipients in. The operator sets it in the provisioning file.',
  },
  no_text: { status: 400, meaning: 'The call has no message text.' },
  unknown_template: {
    status: 400,
    meaning: 'The company of the account has no template with this id. Nothing was sent.',
  },
  text_too_long: {
    status: 400,
    meaning:
      'The text needs more than 255 SMS parts, the most that one message can have, or the texts of all recipients together are more than one call takes.',
  },
  invalid_flash_text: {
    status: 400,
    meaning: 'A flash SMS takes at most 160 characters, all of the GSM 03.38 alphabet.',
  },
  invalid_sender: {
    status: 400,
    meaning: 'A sender id is 1 to 11 letters, digits and simple signs, or 3 to 15 digits.',
  },
  sender_not_allowed: { status: 400, meaning: 'The account may send only from the sender ids on its list.' },
  no_sender: {
    status: 400,
    meaning: 'No sender id was given, and neither the account nor its company has a default.',
  },
  invalid_time: {
    status: 400,
    meaning:
      'A time is not in one of the ISO 8601 forms, has no zone, is past, or is more than 366 days ahead.',
  },
  quota_exceeded: {
    status: 400,
    meaning: 'The quota left, counted in SMS parts, does not cover the whole call. Nothing was sent.',
  },
  country_not_allowed: {
    status: 400,
    meaning:
      'The number belongs to none of the countries that the account or its company may send to. The operator sets them in the provisioning file.',
  },
  too_many_parts: {
    status: 400,
    meaning:
      'The call alone has more SMS parts than the account or its company may send in a minute or a day. Nothing was sent; spread the recipients over several calls, or send them as a batch.',
  },
  rate_exceeded: {
    status: 429,
    meaning:
      'The account or its company has sent as many SMS parts in this minute, or this day (UTC), as it may. Nothing was sent; try again after `Retry-After`. `left` tells how many parts are left in the `minute` and the `day`.',
  },
  idempotency_mismatch: {
    status: 422,
    meaning: 'The `Idempotency-Key` was used within 24 hours for another request. Use a new key.',
  },

  // E-mail to SMS
  invalid_email: {
    status: 400,
    meaning: 'The sender is neither one e-mail address (`name@domain`) nor a whole domain (`@domain`).',
  },
  domain_not_allowed: {
    status: 400,
    meaning:
      'The domain ends with none of the endings that the company is allowed. The operator keeps them in the provisioning file.',
  },
  invalid_paying_user: {
    status: 400,
    meaning:
      'The paying user must be an active account of the company with the role `send`: its id in digits, or its user name.',
  },
  smtp_split_missing: {
    status: 400,
    meaning:
      'Receipts and answers go back by mail only for a paying user whose profile has SMTPSPLIT. The operator sets it in the provisioning file (`smtpSplit`).',
  },
  belongs_to_another: {
    status: 409,
    meaning: 'The e-mail address or domain is on the list of another company. Nothing was changed.',
  },
  too_many_email_senders: {
    status: 400,
    meaning:
      'The company has as many e-mail senders as calls can make. Remove some, or let the entry of a whole domain (`@domain`) stand for the addresses in it. Entries that are there can be changed.',
  },

  // Who asks
  unauthorised: {
    status: 401,
    meaning:
      'The credentials are missing, wrong, given by more than one method, or by a method that does not apply here.',
  },
  https_required: { status: 403, meaning: 'Credentials are taken over HTTPS only.' },
  cross_site: {
    status: 403,
    meaning:
      'A browser sent the request with Basic authentication on behalf of a page of another site. Programs send neither `Origin` nor `Sec-Fetch-Site`.',
  },
  address_not_allowed: {
    status: 403,
    meaning: 'This path is open to the addresses only that the operator has allowed.',
  },
  role_missing: { status: 403, meaning: 'The account is known but lacks the role that this call needs.' },
  key_revoked: {
    status: 403,
    meaning: 'The API key of this name was revoked or has expired. The operator can enable it again.',
  },
  too_many_keys: {
    status: 400,
    meaning:
      'The account has as many API keys as it may have, revoked and expired ones among them. Ask for the key of a name that is there; the operator lists them (`carillon keys list`).',
  },
  too_many_attempts: {
    status: 429,
    meaning:
      'Too many failed attempts to log in. Wait as long as `Retry-After` says; API keys go on working.',
  },

  // What was asked for
  not_found: {
    status: 404,
    meaning: 'There is nothing under this path, or nothing (unread) under this id that the caller may see.',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The path exists, but not for this HTTP method. `Allow` lists those that work.',
  },
  body_too_large: { status: 413, meaning: 'The body is larger than this endpoint takes.' },
  multipart_not_supported: {
    status: 415,
    meaning: 'Multipart bodies are not supported. Send a JSON object.',
  },
  content_encoding_not_supported: {
    status: 415,
    meaning: 'Compressed bodies are not supported. Send the body as it is, without `Content-Encoding`.',
  },
  headers_too_large: {
    status: 431,
    meaning: 'The request line or its headers are too large. Send long parameters by POST.',
  },
  request_timeout: { status: 408, meaning: 'The request did not arrive in time.' },

  // The service itself
  overloaded: {
    status: 503,
    meaning: 'The service has as much work as it can take. Try again after `Retry-After`.',
  },
  store_unavailable: {
    status: 503,
    meaning: 'The store cannot be reached or written. Try again after `Retry-After`.',
  },
  shutting_down: { status: 503, meaning: 'This server is stopping. Try again after `Retry-After`.' },
  not_ready: {
    status: 503,
    meaning:
      'This server starts, stops, or lacks its store, and should get no requests now. The message says why.',
  },
  internal: {
    status: 500,
    meaning: 'A fault of the service. The operator finds it in the log by the `X-Request-Id` of the answer.',
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof catalogue;

/** One fault among several, tied to the field that has it (`to[3]`, `batch[17].t`). */
export interface FieldError {
  readonly field: string;
  readonly code: ErrorCode;
  readonly error: string;
}

interface Details {
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Further fields of the answer's body, for the endpoints whose error body has some. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** A fault with a public sentence. Whatever else is thrown is `internal` to the outside. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, details: Details = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.status = catalogue[code].status;
    this.errors = details.errors ?? [];
    this.headers = details.headers ?? {};
    this.body = details.body ?? {};
  }
}

/** A fault that stops the start: one sentence for the operator, no stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
