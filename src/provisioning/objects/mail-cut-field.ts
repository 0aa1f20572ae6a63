/** The lines that the mail gateways of a company add, as a provisioning file names them. */
import { explicitList, plainText, type Read, text } from '../../yaml/fields.ts';

const most = 20;
const longest = 100;
/** Fewer characters begin what people write too. */
const shortest = 5;

const bounded = plainText(longest);

const opening = text((written) => {
  const read = bounded(written);
  if ('wrong' in read) return read;
  const value = written.trim().replace(/\s+/g, ' ');
  return value.length >= shortest
    ? { value }
    : { wrong: `must have at least ${shortest} characters, since every line that begins so is cut` };
});

const openings = explicitList(opening, 'none');

export const mailCut: Read<readonly string[]> = (tree, faults) => {
  const read = openings(tree, faults);
  if (read === undefined || read.length <= most) return read;
  faults.push({ place: tree.place, sentence: `must have at most ${most} lines` });
  return undefined;
};
