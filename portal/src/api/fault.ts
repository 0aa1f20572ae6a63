/** Why a call failed: the server's answer, or that the server could not be reached. */

/** A fault of a call or of one of its fields, or a fault found by a rule that the pages share with the server. */
export interface FaultContent {
  readonly code: string;
  /** The server's sentence, in the language of the page. */
  readonly error: string;
}

export interface FieldFault extends FaultContent {
  readonly field: string;
}

/** The error as the server writes it (API: errors). */
export interface FaultBody {
  readonly code?: string;
  readonly error?: string;
  readonly errors?: readonly FieldFault[];
  readonly [more: string]: unknown;
}

export class Fault extends Error implements FaultContent {
  /**
   * A code from the server's catalogue, or one of these: `unreachable` if no answer came, `outdated` if it is too late to
   * repeat the call, `nocookies` if the browser did not keep the session cookie, `unknown` if the answer is not the server's.
   */
  readonly code: string;
  /** 0 if no answer came. */
  readonly status: number;
  readonly fields: readonly FieldFault[];
  /** Everything that the server answered. */
  readonly body: FaultBody;

  constructor(status: number, body: FaultBody) {
    super(body.error);
    this.name = 'Fault';
    this.status = status;
    this.code = body.code ?? (status === 0 ? 'unreachable' : 'unknown');
    this.fields = body.errors ?? [];
    this.body = body;
  }

  get error(): string {
    return this.message;
  }

  /** The fault of one field, to be shown at the field. */
  of(field: string): FieldFault | undefined {
    return this.fields.find((fault) => fault.field === field);
  }

  /** True if the server refused the call, so nothing was done. After any other fault, it is unknown what was done. */
  get isRefusal(): boolean {
    return this.status >= 400 && this.status < 500 && this.code !== 'unknown';
  }

  /** Whether the same call may succeed in a moment. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status === 503;
  }
}
