/** What the palette finds by what was typed. */

/** Each word of what was typed begins a word of the name, whatever the accents and capitals. */
export function matchesWords(name: string, typed: string): boolean {
  const words = plain(name).split(/\s+/);
  return plain(typed)
    .split(/\s+/)
    .every((part) => words.some((word) => word.startsWith(part)));
}

function plain(text: string): string {
  return text.trim().toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
}
