/**
 * The company resources whose fields are texts. Their store verbs, their sections of the provisioning file, their actions in
 * the audit log, and the search for an erased number in their texts all follow from this list. The store's threads load this
 * file, so it imports no package.
 */
import { templates } from './templates/template.ts';

/** Each resource is listed under the name of its section, in the order of the file. */
export const companyResources = { templates } as const;
