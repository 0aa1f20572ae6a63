/** The portal's own small icons, in the colour of the text beside them. Their meaning is always given in words too. */

const drawings = {
  compose: 'M4 20l1-4.5L16.5 4l3.5 3.5L8.5 19z M14 6.5l3.5 3.5',
  batches: 'M4 7l8-4 8 4-8 4z M4 12l8 4 8-4 M4 17l8 4 8-4',
  templates: 'M6 3h9l4 4v14H6z M9.5 11h6 M9.5 15h6',
  scheduled: 'M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18z M12 7.5V12l3 2',
  messages: 'M4 6h16 M4 12h16 M4 18h10',
  usage: 'M4 20h16 M6.5 20v-6 M12 20V9 M17.5 20V4',
  conversations: 'M4 5h12v9H9l-3.5 3v-3H4z M19 9h1.5v9H19v2.5L16 18h-4.5',
  people:
    'M9 4.5a3.5 3.5 0 1 0 0 7a3.5 3.5 0 1 0 0-7z M3 20c0-3.5 2.5-5.5 6-5.5s6 2 6 5.5 M16 5a3 3 0 0 1 0 6 M17.5 14.8c2.2.6 3.5 2.4 3.5 5.2',
  phone: 'M7.5 3h9a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1z M10.5 18h3',
  mail: 'M3.5 5.5h17v13h-17z M3.5 6.5l8.5 7 8.5-7',
  key: 'M8 10.5a4 4 0 1 0 0 8a4 4 0 1 0 0-8z M11 11.5L19 3.5 M15.5 7l3 3',
  settings: 'M4 7h9 M17 7h3 M4 17h3 M11 17h9 M13 4.5v5 M7 14.5v5',
  lock: 'M6 11h12v9H6z M8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13z M15.5 15.5L20.5 20.5',
  home: 'M4 11l8-7 8 7 M6 9.5V20h12V9.5',
  more: 'M4 7h16 M4 12h16 M4 17h16',
  dots: 'M6 12h.01 M12 12h.01 M18 12h.01',
  alarm: 'M3.5 10v4h3.5l8 4.5v-13L7 10z M18.5 9a4.5 4.5 0 0 1 0 6 M8 14v4.5h2.5v-3',
  call: 'M6.5 4h3l1.5 4-2 1.5a11 11 0 0 0 5.5 5.5l1.5-2 4 1.5v3c0 1-1 1.8-2 1.7C10.5 19 5 13.5 4.3 6 4.2 5 5.5 4 6.5 4z',
  close: 'M6 6l12 12 M18 6L6 18',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  alert: 'M12 4l9 16H3z M12 10v4.5 M12 17.2h.01',
  clock: 'M12 4a8 8 0 1 0 0 16a8 8 0 1 0 0-16z M12 8v4l2.5 2',
  arrow: 'M5 12h14 M13 6l6 6-6 6',
  stop: 'M12 4a8 8 0 1 0 0 16a8 8 0 1 0 0-16z M8.5 8.5l7 7',
  reply: 'M9.5 7L4.5 12l5 5 M4.5 12H14c4 0 5.5 2.5 5.5 6',
  left: 'M14.5 5l-7 7 7 7',
  right: 'M9.5 5l7 7-7 7',
  download: 'M12 4v11 M7 10.5l5 5 5-5 M4.5 20h15',
  upload: 'M12 16V5 M7 9.5l5-5 5 5 M4.5 20h15',
  copy: 'M9 9h11v11H9z M5.5 15H4V4h11v1.5',
  out: 'M10 4H5v16h5 M14 8l4 4-4 4 M9 12h9',
  plus: 'M12 5v14 M5 12h14',
  archive: 'M4 5h16v4H4z M5.5 9v11h13V9 M10 13h4',
} as const;

export type IconName = keyof typeof drawings;

export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={drawings[name]} />
    </svg>
  );
}

/** The bell, which is the logo. */
export function Bell({ size = 28 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="var(--bronze)" aria-hidden="true">
      <path d="M16 2.5a2 2 0 0 1 2 2v1.2c4.6 1 7 4.7 7 9.3 0 4.5.9 6.9 3.2 9.2.5.5.2 1.3-.5 1.3H4.3c-.7 0-1-.8-.5-1.3C6.1 21.9 7 19.5 7 15c0-4.6 2.4-8.3 7-9.3V4.5a2 2 0 0 1 2-2Z" />
      <path d="M12.5 27h7a3.5 3.2 0 0 1-7 0Z" />
    </svg>
  );
}
