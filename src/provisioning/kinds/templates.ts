/** Templates of a company in a provisioning file. */
import { templates as resource } from '../../templates/template.ts';
import { kindOf } from '../objects/kind-of-resource.ts';

export const templates = kindOf(resource);
