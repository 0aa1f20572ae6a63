#!/usr/bin/env node
/** The program `carillon`: runs the built program with the Node that `node.js` chooses. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { chosenNode } from './node.js';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

if (existsSync(main)) {
  const node = chosenNode();
  if (node === process.execPath) runHere();
  else handOver(node);
} else {
  console.error('Carillon is not built yet. Run: npm run build');
  process.exitCode = 1;
}

function runHere() {
  createRequire(import.meta.url)(main);
}

function handOver(node) {
  const parameters = [...process.execArgv, main, ...process.argv.slice(2)];
  // Replaces this process, which Node 20 can't do.
  if (process.execve !== undefined) process.execve(node, [node, ...parameters], process.env);
  else runBeside(node, parameters);
}

/** Stays, passes signals on to its child, and ends with the child's exit code; if this process is killed, the child stops. */
function runBeside(node, parameters) {
  const child = spawn(node, parameters, {
    env: { ...process.env, CARILLON_NODE: 'brought' },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('exit', (exitCode, signal) => {
    process.exitCode = exitCode ?? 128 + constants.signals[signal];
  });
}
