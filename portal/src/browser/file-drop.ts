/** What an element needs on which a file can be dropped: spread over it, it takes the first file, and shows that one is over it. */
import { type DragEvent, useState } from 'react';

export function useFileDrop(take: (file: File) => void) {
  const [isOver, setOver] = useState(false);
  return {
    'data-over': isOver || undefined,
    onDragOver(event: DragEvent) {
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop(event: DragEvent) {
      event.preventDefault();
      setOver(false);
      const [file] = event.dataTransfer.files;
      if (file !== undefined) take(file);
    },
  };
}
