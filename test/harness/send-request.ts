/** A call of `/send` that asks for nothing beyond the defaults of its parameters. */
import type { SendRequest } from '../../src/messages/sending/prepare.ts';

export const plainRequest: SendRequest = {
  to: [],
  tosubst: [],
  from: undefined,
  message: undefined,
  conversation: undefined,
  costcenter: undefined,
  flash: false,
  validminutes: 1_440,
  defaultcountrycode: undefined,
  replacecharacters: false,
  scheduletime: undefined,
  templateid: undefined,
  onlytemplateplaceholders: false,
  checknumber: false,
  twoway: false,
};
