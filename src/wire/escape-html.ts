/** Escapes text for use in HTML, between tags and in quoted attributes. */

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (mark) => marks[mark] as string);
}
