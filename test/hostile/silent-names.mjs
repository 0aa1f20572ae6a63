/** Loaded before the server: all names are asked for at a name server of this machine that never answers. */
import promises from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';

const server = process.env.SILENT_NAME_SERVER;

promises.Resolver = class extends promises.Resolver {
  constructor(options) {
    super(options);
    this.setServers([server]);
  }
};
syncBuiltinESMExports();
