/** Resources that users of a company read, and its administrators change: what holds for each is tried with each. */
import type { Fields, Values } from '../../src/resources/declaration.ts';
import type { Resource } from '../../src/resources/resource.ts';
import { templates } from '../../src/templates/template.ts';

export interface CompanyResource {
  readonly resource: Resource<Fields, number>;
  /** What makes one, by a call and in a provisioning file. */
  readonly given: Readonly<Record<string, string>>;
}

export const companyResources: readonly CompanyResource[] = [
  tried(templates, { name: 'Visit', text: 'We come' }),
];

function tried<F extends Fields>(
  resource: Resource<F, number>,
  given: Values<F> & Readonly<Record<string, string>>,
): CompanyResource {
  return { resource: resource as unknown as Resource<Fields, number>, given };
}

export const pathOf = ({ resource }: CompanyResource) => `/api/v1/${resource.declaration.plural}`;

/** The id of the one that the provisioning file manages. */
export const managedId = 7;

/** One of each, for a company in a provisioning file. */
export const managedResources = companyResources
  .map(({ resource, given }) => {
    return `    ${resource.declaration.plural}: [${JSON.stringify({ id: managedId, ...given })}]`;
  })
  .join('\n');
