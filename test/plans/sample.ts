/** A verb with inputs, each of which the verb must handle without visiting more rows than it needs. */
import type { AnyVerb, ReadVerb, WriteVerb } from '../../src/storage/verb.ts';

export interface Sample {
  readonly verb: AnyVerb;
  readonly inputs: readonly unknown[];
}

/** Inputs that cover every path through the verb. */
export function sample<Input>(
  // biome-ignore lint/suspicious/noExplicitAny: what a verb answers with is not looked at.
  verb: ReadVerb<Input, any> | WriteVerb<Input, any>,
  ...inputs: readonly Input[]
): Sample {
  return { verb, inputs };
}
