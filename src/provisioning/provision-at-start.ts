/** Applies the file of CARILLON_PROVISION at a start, and only when it is news: later changes by other means are kept. */
import { StartError } from '../foundation/errors.ts';
import { applyFile, type Surroundings } from './apply.ts';
import { readProvisioningFile } from './read-file.ts';
import { readLastApplied } from './store.ts';

/** What changed, a line for each object, for the log: without texts and the addresses of e-mail senders. A file with faults stops the start. */
export async function provisionAtStart(
  surroundings: Surroundings,
  path: string,
  warn: (warning: string) => void,
): Promise<readonly string[]> {
  const file = readProvisioningFile(path);
  const last = await surroundings.store.read(readLastApplied, file.path);
  if (last === file.contentHash) return [];
  const result = await applyFile(surroundings, file, { when: 'contentChanged', audience: 'log' });
  if (result.kind === 'skipped') return [];
  if (result.kind === 'applied') {
    for (const warning of result.warnings) warn(warning);
    return result.lines;
  }
  throw new StartError(
    `CARILLON_PROVISION names the file ${path}, of which nothing was applied for its faults:\n${result.lines.join('\n')}`,
  );
}
