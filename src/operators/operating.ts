/** What the calls of operators have in common: how they are admitted, and what they may show. */

import { sessionOnly } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import type { RoutingTable } from '../routing/routing-table.ts';
import type { Context } from '../storage/context.ts';
import type { Store } from '../storage/store.ts';
import type { Operator } from './operator.ts';

export interface Operating extends Context {
  readonly store: Store;
  /** Whether operators may read texts of messages; otherwise no call may answer with one. */
  readonly readsTexts: boolean;
  /** When this node’s TLS certificate ends; it may throw while the file is being renewed. Undefined without TLS. */
  readonly certificateEnd?: (() => number) | undefined;
  readonly routes: () => RoutingTable;
  /** Called when changes of companies are to be read, as after an SMS was given to a user. */
  readonly changed: () => void;
}

export const operatorEndpoint = endpointsFor<Operator>();

/** The section of the documentation, and the only credentials. */
export const ofOperators = { group: 'Operators', credentials: sessionOnly } as const;
