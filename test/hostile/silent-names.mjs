/** Loaded before the server: sends all DNS queries to a name server on this machine that never answers. */
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
