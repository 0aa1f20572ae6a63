/**
 * The resources of companies whose fields are texts. From this list follow their verbs of the store, their sections of the
 * provisioning file, their acts in the audit log, and the search for an erased number in their texts.
 *
 * Threads of the store load this file: it imports no package.
 */
import { templates } from './templates/template.ts';

/** Each stands under the name of its section, in the order of the file. */
export const companyResources = { templates } as const;
