/** Sample inputs for the verbs of company resources, derived from their declarations. */
import { companyResources } from '../../src/company-resources.ts';
import type { Fields } from '../../src/resources/declaration.ts';
import type { Resource } from '../../src/resources/resource.ts';
import { type Sample, sample } from './sample.ts';
import { big, now } from './stock.ts';

const { companyId: scopeId } = big;
const limit = 20;
const acting = { companyId: scopeId, scopeId, username: 'user10', session: undefined, now };

export const resourceSamples: readonly Sample[] = (
  Object.values(companyResources) as readonly object[] as readonly Resource<Fields, number>[]
).flatMap(samplesOf);

function samplesOf(resource: Resource<Fields, number>): readonly Sample[] {
  const { fields, history } = resource.declaration;
  const values = Object.fromEntries(Object.keys(fields).map((name) => [name, 'New']));
  const given = { values, rename: undefined, more: undefined };
  return [
    sample(resource.list, { scopeId, limit }, { scopeId, from: { language: 'sv', name: 'n', id: 5 }, limit }),
    sample(resource.find, { scopeId, key: 5 }, { scopeId, key: 0 }),
    sample(resource.create, { ...acting, name: undefined, values, more: undefined }),
    sample(resource.change, { ...acting, ...given, key: 5, ifMatch: undefined }),
    sample(resource.remove, { ...acting, key: 6, ifMatch: undefined }),
    ...(history === undefined
      ? []
      : [
          sample(resource.listVersions, { scopeId, key: 5 }),
          sample(
            resource.findVersion,
            { scopeId, key: 5, version: 1 },
            { scopeId, key: 5, version: 2 },
            { scopeId, key: 5, version: 101 },
          ),
        ]),
  ];
}
