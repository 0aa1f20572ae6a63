/** Who gave a command, as the logs and the record of a run name the operator. */
import { userInfo } from 'node:os';

export function machineAccount(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the number of the user often has no name.
    return String(process.getuid?.() ?? 'unknown');
  }
}
