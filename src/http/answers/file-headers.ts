/** The headers of an answer that is a file, with its name. */
import type { HeaderPairs } from './respond.ts';

/** RFC 6266: its name in ASCII, and as it is for all who know more. */
export function fileHeaders(fileName: string, contentType: string): HeaderPairs {
  const plain = fileName.replace(/[^\w .-]/g, '_');
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return [
    ...['content-type', contentType],
    ...['content-disposition', `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`],
  ];
}
