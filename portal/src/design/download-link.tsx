/** A link to a file, such as the CSV of a filtered list, which the browser saves. */
import { buttonLook } from './button.tsx';
import { Icon } from './icons.tsx';

interface DownloadLinkProps {
  readonly href: string;
  readonly children: string;
  /** A description for users who hear the link without what surrounds it. */
  readonly label?: string;
}

export function DownloadLink({ href, children, label }: DownloadLinkProps) {
  return (
    <a href={href} download className={buttonLook('plain')} aria-label={label}>
      <Icon name="download" size={16} />
      {children}
    </a>
  );
}
