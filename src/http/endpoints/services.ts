/** What all endpoints of a server have in common, and their calls need. */
import type { Logger } from 'pino';
import type { TaskOwner, Turns } from '../../foundation/turns.ts';
import type { Admission } from '../admission.ts';
import type { Authenticate, AuthenticatePage } from '../credentials/credentials.ts';
import type { CredentialPicker } from '../credentials/picker.ts';
import type { SiteServices } from '../gate/cross-site.ts';

export interface EndpointServices<Caller> {
  readonly authenticate: Authenticate<Caller>;
  /** Undefined: there is no portal, and no cookie is looked at. */
  readonly authenticatePage: AuthenticatePage<Caller> | undefined;
  /** By which pages of ours are told from others. */
  readonly site: SiteServices;
  readonly admission: Admission;
  readonly log: Logger;
  readonly picker: CredentialPicker;
  /** In which large bodies are parsed, so that none keeps others waiting. */
  readonly turns: Turns;
  /** Whose turns those of a caller are. */
  readonly ownerOf: (caller: Caller) => TaskOwner;
  /** No endpoint takes more, whatever it declares. */
  readonly maxBodyBytes: number;
}
