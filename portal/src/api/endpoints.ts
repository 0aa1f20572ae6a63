/** What the portal may call, by path and method: the types of the server's own endpoint tables, of which nothing is loaded. */
import type { Static, TSchema } from 'typebox';
import type { keyEndpoints } from '../../../src/accounts/endpoints.ts';
import type { auditEndpoints } from '../../../src/administration/audit-endpoints.ts';
import type { userEndpoints } from '../../../src/administration/company-user-endpoints.ts';
import type { batchManagementEndpoints } from '../../../src/batches/management/endpoints.ts';
import type { contactManagementEndpoints } from '../../../src/contacts/endpoints.ts';
import type { emailManagementEndpoints } from '../../../src/email/management/endpoints.ts';
import type { Parameters } from '../../../src/http/parameters/parameter.ts';
import type { ParameterTable } from '../../../src/http/parameters/table.ts';
import type { runEndpoints } from '../../../src/jobs/management/run-endpoints.ts';
import type { conversationEndpoints } from '../../../src/messages/conversations/endpoints.ts';
import type { numberEndpoints } from '../../../src/messages/conversations/number-endpoints.ts';
import type { carrierEndpoints } from '../../../src/messages/management/carrier-endpoints.ts';
import type { managementEndpoints } from '../../../src/messages/management/endpoints.ts';
import type { usageEndpoints } from '../../../src/messages/management/usage-endpoints.ts';
import type { phoneEndpoints } from '../../../src/messages/phones/endpoints.ts';
import type { sendingEndpoints } from '../../../src/messages/sending/endpoints.ts';
import type { personEndpoints } from '../../../src/people/endpoints.ts';
import type { portalEndpoints } from '../../../src/portal/endpoints.ts';
import type { scheduledEndpoints } from '../../../src/scheduled/endpoints.ts';
import type { templateEndpoints } from '../../../src/templates/endpoints.ts';
import type { webhookManagementEndpoints } from '../../../src/webhooks/management/endpoints.ts';

/** Each room whose calls the portal makes has a line here. */
type Rooms = [
  typeof keyEndpoints,
  typeof userEndpoints,
  typeof emailManagementEndpoints,
  typeof auditEndpoints,
  typeof batchManagementEndpoints,
  typeof runEndpoints,
  typeof contactManagementEndpoints,
  typeof managementEndpoints,
  typeof usageEndpoints,
  typeof carrierEndpoints,
  typeof sendingEndpoints,
  typeof scheduledEndpoints,
  typeof templateEndpoints,
  typeof portalEndpoints,
  typeof conversationEndpoints,
  typeof numberEndpoints,
  typeof phoneEndpoints,
  typeof personEndpoints,
  typeof webhookManagementEndpoints,
];

type Declared = ReturnType<Rooms[number]>[number];

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

type Takes<Endpoint, M extends Method> = Endpoint extends { readonly methods: readonly (infer Taken)[] }
  ? M extends Taken
    ? Endpoint
    : never
  : never;

/** The paths that take a method. */
export type PathFor<M extends Method> = Takes<Declared, M>['path'];

type EndpointAt<M extends Method, Path> = Extract<Takes<Declared, M>, { readonly path: Path }>;

type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json | undefined };

type ParametersAt<Endpoint> = Endpoint extends { readonly table: ParameterTable<infer P extends Parameters> }
  ? { readonly [Name in keyof P]?: Json | undefined }
  : never;

/** By their names in JSON, also those that stand in the path or the URL. */
export type ParametersOf<M extends Method, Path extends PathFor<M>> = ParametersAt<EndpointAt<M, Path>>;

export type AnswerOf<M extends Method, Path extends PathFor<M>> =
  EndpointAt<M, Path> extends {
    readonly answer: infer Schema extends TSchema;
  }
    ? Static<Schema>
    : never;
