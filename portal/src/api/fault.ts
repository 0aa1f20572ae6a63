/** Why a call was not answered as it was meant to be: what the server said, or that it could not be reached. */
import type { Sentence } from '../../../src/foundation/sentences.ts';

/** Of a call, of one of its fields, or what a rule that the pages share with the server has found. */
export interface ToldFault {
  readonly code: string;
  /** In English. */
  readonly error: string;
  /** Of the sentence, where the server has it in more languages. */
  readonly values?: Sentence | undefined;
}

export interface FieldFault extends ToldFault {
  readonly field: string;
}

/** As the server writes it (API: errors). */
export interface FaultBody {
  readonly code?: string;
  readonly error?: string;
  readonly values?: Sentence;
  readonly errors?: readonly FieldFault[];
  readonly [more: string]: unknown;
}

export class Fault extends Error implements ToldFault {
  /** Of the server's catalogue; `unreachable` where no answer came, `outdated` where it is too late to call again,
   * `nocookies` where the browser has not kept that of the session. */
  readonly code: string;
  /** 0 where no answer came. */
  readonly status: number;
  readonly values: Sentence | undefined;
  readonly fields: readonly FieldFault[];
  /** All that the server answered. */
  readonly body: FaultBody;

  constructor(status: number, body: FaultBody) {
    super(body.error ?? `The server answered ${status}.`);
    this.name = 'Fault';
    this.status = status;
    this.code = body.code ?? (status === 0 ? 'unreachable' : 'unknown');
    this.values = body.values;
    this.fields = body.errors ?? [];
    this.body = body;
  }

  get error(): string {
    return this.message;
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
