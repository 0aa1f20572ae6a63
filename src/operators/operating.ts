/** What the calls of operators have in common: how they are admitted, and what they may show. */

import { sessionOnly } from '../http/credentials/credentials.ts';
import { endpointsFor } from '../http/endpoints/endpoint.ts';
import type { PersonSecret } from '../opt-outs/person-digest.ts';
import type { RoutingTable } from '../routing/routing-table.ts';
import type { Context } from '../storage/context.ts';
import type { Operator } from './operator.ts';

export interface Operating extends Context {
  /** Whether operators may read texts of messages; otherwise no call may answer with one. */
  readonly readsTexts: boolean;
  /** When this node’s TLS certificate ends; it may throw while the file is being renewed. Undefined without TLS. */
  readonly certificateEnd?: (() => number) | undefined;
  readonly routes: () => RoutingTable;
  /** Called after an SMS was given to a user, so that every node reads the change at once. */
  readonly changed: () => void;
  /** Finds the opt-outs of erased people. */
  readonly personSecret: PersonSecret;
}

export const operatorEndpoint = endpointsFor<Operator>();

/** The section of the documentation, and the only credentials that these calls accept. */
export const ofOperators = { group: 'Operators', credentials: sessionOnly } as const;
