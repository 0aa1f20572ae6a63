/** Why a call was not answered as it was meant to be: what the server said, or that it could not be reached. */

export interface FieldFault {
  readonly field: string;
  readonly code: string;
  readonly error: string;
}

/** Of a call, of one of its fields, or what a rule that the pages share with the server has found. */
export type ToldFault = Fault | Pick<FieldFault, 'code' | 'error'>;

/** As the server writes it (API: errors). */
export interface FaultBody {
  readonly code?: string;
  readonly error?: string;
  readonly errors?: readonly FieldFault[];
  readonly [more: string]: unknown;
}

export class Fault extends Error {
  /** Of the server's catalogue; `unreachable` where no answer came, `outdated` where it is too late to call again,
   * `nocookies` where the browser has not kept that of the session. */
  readonly code: string;
  /** 0 where no answer came. */
  readonly status: number;
  readonly fields: readonly FieldFault[];
  /** All that the server answered. */
  readonly body: FaultBody;

  constructor(status: number, body: FaultBody) {
    super(body.error ?? `The server answered ${status}.`);
    this.name = 'Fault';
    this.status = status;
    this.code = body.code ?? (status === 0 ? 'unreachable' : 'unknown');
    this.fields = body.errors ?? [];
    this.body = body;
  }

  /** What is wrong with a field, for the place where it is typed. */
  of(field: string): FieldFault | undefined {
    return this.fields.find((fault) => fault.field === field);
  }

  /** An answer that says no: nothing was done. Of anything else nobody knows. */
  get isRefusal(): boolean {
    return this.status >= 400 && this.status < 500 && this.code !== 'unknown';
  }

  /** The same call may go well in a moment. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status === 503;
  }
}
