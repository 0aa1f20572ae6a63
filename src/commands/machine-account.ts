/** The machine account that runs a command; logs and the records of runs use it as the operator's name. */
import { userInfo } from 'node:os';

export function machineAccount(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container, the user id often has no name.
    return String(process.getuid?.() ?? 'unknown');
  }
}
