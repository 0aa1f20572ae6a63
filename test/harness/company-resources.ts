/** Every company resource, with the input that creates one, taken from the example of its call. */
import { allEndpoints } from '../../scripts/docs/generated-documents.ts';
import { companyResources } from '../../src/company-resources.ts';

export interface TriedResource {
  readonly plural: string;
  readonly path: string;
  readonly hasVersions: boolean;
  /** The object's fields, as in a call and in a provisioning file. */
  readonly given: object;
}

export const triedResources: readonly TriedResource[] = Object.values(companyResources).map(
  ({ declaration: { plural, history } }) => {
    const path = `/api/v1/${plural}`;
    const create = allEndpoints.find((one) => one.path === path && one.creates !== undefined);
    return { plural, path, hasVersions: history !== undefined, given: create?.example?.json ?? {} };
  },
);

/** The id of the resource managed by the provisioning file. */
export const managedId = 7;

/** One resource of each kind, for a company in a provisioning file. */
export const managedResources = triedResources
  .map(({ plural, given }) => `    ${plural}: [${JSON.stringify({ id: managedId, ...given })}]`)
  .join('\n');
