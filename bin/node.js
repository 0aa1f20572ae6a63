/**
 * Chooses the Node that runs Carillon: the user's own Node if it is new enough, otherwise the Node that `npm ci` has
 * installed (decision 0052). `CARILLON_NODE=own` keeps the user's own Node in any case.
 */
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** This version has SQLite built in, and sends a quarter more messages than Node 20. */
const newEnough = 24;

/** The path of the chosen Node. */
export function chosenNode() {
  const brought = broughtNode();
  const own = ownNode(brought);
  const keepsOwn = process.env.CARILLON_NODE === 'own' || own.major >= newEnough;
  return keepsOwn || brought === undefined ? own.path : brought;
}

/** The Node that `npm ci` installed; undefined on platforms for which there is none. */
export function broughtNode() {
  if (!canRunIt()) return undefined;
  const folders = createRequire(import.meta.url).resolve.paths('node') ?? [];
  const name = `node-${process.platform}-${process.arch}`;
  const found = folders.map((folder) => join(folder, name, 'bin', 'node')).find((file) => existsSync(file));
  return found === undefined ? undefined : realpathSync(found);
}

/** On Linux, the installed Node needs the loader of glibc, which some systems lack (Alpine, NixOS). */
function canRunIt() {
  const loader = { x64: '/lib64/ld-linux-x86-64.so.2', arm64: '/lib/ld-linux-aarch64.so.1' }[process.arch];
  return process.platform !== 'linux' || (loader !== undefined && existsSync(loader));
}

/** In npm's scripts the installed Node comes first in the path, while npm itself runs on the user's own Node. */
function ownNode(brought) {
  const { npm_node_execpath: path, npm_config_user_agent: agent = '' } = process.env;
  const [, major] = /\bnode\/v(\d+)\./.exec(agent) ?? [];
  const isBrought = process.execPath === brought;
  if (isBrought && path !== undefined && major !== undefined) return { path, major: Number(major) };
  return { path: process.execPath, major: Number(process.versions.node.split('.')[0]) };
}
