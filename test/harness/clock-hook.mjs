/** Loaded into each thread of a server under test: shifts its time of day by the milliseconds that a file says at the moment. */
import { existsSync, readFileSync } from 'node:fs';

const file = process.env.TEST_CLOCK_FILE;
const now = Date.now.bind(Date);

function read() {
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
}

let setByMs = read();
Date.now = () => now() + setByMs;
setInterval(() => {
  setByMs = read();
}, 50).unref();
